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
