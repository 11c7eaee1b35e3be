//! Days and dates in the proleptic Gregorian calendar.

use std::ops::RangeInclusive;

/// The seconds since 1970 that RFC 3339 can write: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
pub(crate) const SECONDS: RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Year, month and day of a number of days since 1970-01-01, in the proleptic Gregorian calendar.
///
/// Counts in years that begin in March, so that the leap day is the last one of its year, and in eras of 400 years, which all
/// have 146 097 days.
pub(crate) fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The way back: the number of days since 1970-01-01 of a date, or `None` when there is no such date.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let (shifted, month_from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    (date(days) == (year, month, day)).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        for number in (-720_000..3_000_000).step_by(13) {
            let (year, month, day) = date(number);
            assert_eq!(days(year, month, day), Some(number));
        }
        assert_eq!((date(0), date(11_016), date(-1)), ((1970, 1, 1), (2000, 2, 29), (1969, 12, 31)));
    }

    #[test]
    fn there_are_no_other_dates() {
        for (year, month, day) in [(2023, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31), (2024, 1, 0)] {
            assert_eq!(days(year, month, day), None);
        }
    }
}
