//! Recovers the exact frame time from a printed number.
//!
//! `.0083333` is 1/120 s cut to seven decimals, not 8.3333 ms: over a minute the two differ by 0.03 frames, and every
//! derivative by 4 ppm. A printed number with unit `q` in its last digit stands for any time in `v ± q/2`. It is taken as
//! the reciprocal of the one whole frame rate whose period lies there; where several do (`0.017`), of the one usual rate;
//! else of the one NTSC rate `k · 1000/1001`. A number that already is a whole rate's period, one of 15 digits or more,
//! or one further than 2 % from every such rate is used unchanged.

const USUAL_RATES: [u32; 25] =
    [24, 25, 30, 48, 50, 60, 72, 75, 80, 90, 96, 100, 120, 125, 144, 150, 180, 200, 240, 250, 300, 360, 400, 500, 1000];
const NTSC_RATES: [u32; 6] = [24, 30, 48, 60, 120, 240];
/// Rates of motions besides the usual ones, frames per second.
const LOW_RATES: [u32; 4] = [10, 12, 15, 20];
const HIGHEST_RATE: f64 = 10_000.0;

/// Seconds between frames for the text after `Frame Time:`: an exact rate if the text is one rounded to few digits.
/// `None` if the text is not a positive finite number.
pub fn exact_frame_time(text: &str) -> Option<f64> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0)?;
    let (digits, quantum) = printed_precision(text);
    let rate = 1.0 / value;
    if digits >= 15 || !(0.5..=HIGHEST_RATE).contains(&rate) || (rate - rate.round()).abs() <= 1e-12 * rate {
        return Some(value);
    }
    let fits =
        |period: f64| (period - value).abs() <= 0.5 * quantum * (1.0 + 1e-9) && (period / value - 1.0).abs() < 0.02;
    let whole = |rate: u32| 1.0 / f64::from(rate);
    let near = rate.round() as u32;
    let neighbours = [near.saturating_sub(1), near, near + 1].into_iter().filter(|&rate| rate > 0).map(whole);
    let exact = only(neighbours.filter(|&period| fits(period)))
        .or_else(|| only(USUAL_RATES.into_iter().map(whole).filter(|&period| fits(period))))
        .or_else(|| only(NTSC_RATES.into_iter().map(|k| 1.001 / f64::from(k)).filter(|&period| fits(period))));
    Some(exact.unwrap_or(value))
}

/// What a number that no frame lasts in seconds can only mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MisreadTime {
    /// Seconds between frames that are meant.
    pub seconds: f64,
    /// What the number counts.
    pub unit: &'static str,
}

/// A text after `Frame Time:` of five seconds or more: a rate in frames per second, or a time in milliseconds. `None` if
/// it may be a time in seconds.
pub(super) fn misread(text: &str) -> Option<MisreadTime> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 5.0)?;
    let near = |rate: f64| (value - rate).abs() < 5e-3;
    let ntsc = NTSC_RATES.into_iter().map(|k| f64::from(k) / 1.001).find(|&rate| near(rate));
    let whole = USUAL_RATES.into_iter().chain(LOW_RATES).map(f64::from).find(|&rate| value == rate);
    let of_rate = |rate: f64| MisreadTime { seconds: 1.0 / rate, unit: "frames per second" };
    // A whole number below ten may be any rate or time.
    let of_milliseconds = || {
        if value < 10.0 && value.fract() == 0.0 {
            return None;
        }
        let seconds = exact_frame_time(&format!("{text}e-3"))?;
        let rate = 1.0 / seconds;
        let is_usual = USUAL_RATES.into_iter().any(|usual| (rate - f64::from(usual)).abs() < 1e-9 * rate);
        is_usual.then_some(MisreadTime { seconds, unit: "milliseconds" })
    };
    let of_odd_rate = || (10.0..=HIGHEST_RATE).contains(&value).then(|| of_rate(value));
    whole.or(ntsc).map(of_rate).or_else(of_milliseconds).or_else(of_odd_rate)
}

fn only(mut periods: impl Iterator<Item = f64>) -> Option<f64> {
    let first = periods.next()?;
    periods.next().is_none().then_some(first)
}

/// Number of significant digits of a printed number, and the unit of its last digit.
fn printed_precision(text: &str) -> (usize, f64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|&digit| digit == b'0').count();
    let power = exponent.parse::<f64>().unwrap_or(0.0) - decimals as f64;
    (digits, format!("1e{power}").parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_times_printed_with_few_digits_are_exact_rates() {
        for (text, rate) in [
            (".0083333", 120.0),
            ("0.00833333", 120.0),
            ("0.008333", 120.0),
            ("0.0083", 120.0),
            ("0.0333333", 30.0),
            ("0.033333", 30.0),
            ("0.033", 30.0),
            ("0.016667", 60.0),
            ("0.017", 60.0),
            ("1.6667e-2", 60.0),
            ("0.041667", 24.0),
            ("0.0138889", 72.0),
        ] {
            assert_eq!(exact_frame_time(text), Some(1.0 / rate), "{text}");
        }
        for (text, k) in [("0.0333667", 30.0), ("0.033367", 30.0), ("0.041708", 24.0), ("0.0166833", 60.0)] {
            assert_eq!(exact_frame_time(text), Some(1.001 / k), "{text}");
        }
    }

    #[test]
    fn a_rate_or_a_number_of_milliseconds_is_no_time_in_seconds() {
        let rates =
            [("30", 30.0), ("60", 60.0), ("24.0", 24.0), ("120", 120.0), ("25", 25.0), ("20", 20.0), ("90.5", 90.5)];
        for (text, rate) in rates.into_iter().chain([("29.97", 30.0 / 1.001), ("23.976", 24.0 / 1.001)]) {
            let wanted = MisreadTime { seconds: 1.0 / rate, unit: "frames per second" };
            assert_eq!(misread(text), Some(wanted), "{text}");
        }
        let times =
            [("33.3333", 30.0), ("33", 30.0), ("16.667", 60.0), ("8.3333", 120.0), ("41.6667", 24.0), ("40", 25.0)];
        for (text, rate) in times {
            let wanted = MisreadTime { seconds: 1.0 / rate, unit: "milliseconds" };
            assert_eq!(misread(text), Some(wanted), "{text}");
        }
        for text in ["0.0333333", "1", "2.5", "4", "7", "1e6", "nan", "x"] {
            assert_eq!(misread(text), None, "{text}");
        }
    }

    #[test]
    fn other_frame_times_are_what_they_say() {
        for text in
            ["0.04", "0.01", "0.02", "0.03", "0.010000", "0.016666666666666666", "0.0087331", "1", "2.5", "1e-9"]
        {
            assert_eq!(exact_frame_time(text), text.parse().ok(), "{text}");
        }
        for text in ["0", "-0.1", "nan", "inf", "", "x"] {
            assert_eq!(exact_frame_time(text), None, "{text}");
        }
    }
}
