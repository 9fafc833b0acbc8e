//! CPU time of this process, independent of other processes.

/// CPU time, seconds; 0 if the system does not provide it.
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// CPU time, seconds; 0 if the system does not provide it.
#[cfg(not(unix))]
pub fn cpu_seconds() -> f64 {
    0.0
}
