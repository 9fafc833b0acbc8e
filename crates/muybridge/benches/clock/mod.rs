//! The CPU time of this process: what other processes do beside it does not count.

/// Seconds; 0 where the system does not tell.
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds; 0 where the system does not tell.
#[cfg(not(unix))]
pub fn cpu_seconds() -> f64 {
    0.0
}
