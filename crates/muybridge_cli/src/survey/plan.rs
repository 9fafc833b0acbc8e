//! Identity of a survey as one line, to tell whether existing segments belong to the requested survey.

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Version of the record format; it changes when old records can no longer be read. The first had no checksums, the
/// second pooled the axes of the momenta.
const LAYOUT: u32 = 3;

/// One of `of` shards of a survey: the files at list positions `number − 1`, `number − 1 + of` …
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the shard, from 1.
    pub number: u64,
    /// Number of shards.
    pub of: u64,
}

/// Identity of a survey: program version, options, list of files, and shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyPlan {
    /// Version of the record format.
    pub muybridge_survey: u32,
    /// Version of the program.
    pub version: String,
    /// Digest of the options and of the contents of the files they name.
    pub options: String,
    /// Digest of the whole list.
    pub list: String,
    /// Files in the whole list.
    pub files: u64,
    /// Shard of the list.
    pub shard: Shard,
}

impl Shard {
    /// The whole list as one shard.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Most shards of a survey.
    const MOST: u64 = 1_000_000;

    fn is_possible(self) -> bool {
        (1..=self.of).contains(&self.number) && self.of <= Self::MOST
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (Self { number, of }).is_possible() => Ok(Self { number, of }),
            Some((_, of)) if of > Self::MOST => Err(format!("there are at most {} shards", Self::MOST)),
            _ => Err("give the shard as i/n with i from 1 to n, such as 2/8".into()),
        }
    }
}

impl SurveyPlan {
    /// Plan of a survey of `files`, checked with `options` (text that differs for different options).
    pub fn new(files: &[PathBuf], options: &str, shard: Shard) -> Self {
        let mut list = Digest::new();
        for file in files {
            list.eat(file.as_os_str().as_encoded_bytes());
            list.eat(b"\n");
        }
        let mut digest = Digest::new();
        digest.eat(options.as_bytes());
        Self {
            muybridge_survey: LAYOUT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: digest.hexadecimal(),
            list: list.hexadecimal(),
            files: files.len() as u64,
            shard,
        }
    }

    /// The plan as one line of JSON, without line break.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("the plan has string keys only and serializes without error")
    }

    /// Parses a plan from its line; `None` if its numbers are impossible.
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok().filter(|plan: &Self| plan.shard.is_possible())
    }

    /// Says who wrote a plan whose records this version cannot read; `None` if it can.
    pub fn unreadable(&self) -> Option<&'static str> {
        match self.muybridge_survey {
            LAYOUT => None,
            1 => Some("by an older version of muybridge, without checksums"),
            2 => Some("by an older version of muybridge, whose histograms do not tell the axes of a momentum apart"),
            _ => Some("by another version of muybridge"),
        }
    }

    /// List positions of the shard's files, ascending.
    pub fn own_positions(&self) -> impl Iterator<Item = u64> + use<> {
        (self.shard.number - 1..self.files).step_by(self.shard.of as usize)
    }

    /// Number of files of the shard.
    pub fn own_files(&self) -> usize {
        self.files.saturating_sub(self.shard.number - 1).div_ceil(self.shard.of) as usize
    }

    /// Index of a list position among the files of the shard; `None` if it is not one of them.
    pub fn own_index(&self, position: u64) -> Option<usize> {
        let behind = position.checked_sub(self.shard.number - 1).filter(|_| position < self.files)?;
        behind.is_multiple_of(self.shard.of).then_some((behind / self.shard.of) as usize)
    }

    /// Describes how `other` differs, ignoring the shard; `None` if it is the same survey.
    pub fn differs(&self, other: &Self) -> Option<String> {
        if let Some(unreadable) = self.unreadable() {
            Some(unreadable.into())
        } else if self.muybridge_survey != other.muybridge_survey || self.version != other.version {
            Some(format!("by another version of muybridge ({}; this is {})", self.version, other.version))
        } else if self.options != other.options {
            Some("with other options, or a file they name has changed".into())
        } else if self.list != other.list {
            Some(format!("over another list of files ({} files then, {} now)", self.files, other.files))
        } else {
            None
        }
    }
}

/// FNV-1a hash with 128 bits; tells lists apart, not cryptographic.
struct Digest(u128);

impl Digest {
    fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn eat(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    fn hexadecimal(&self) -> String {
        format!("{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_part_the_list_without_gap_or_overlap() {
        let files: Vec<PathBuf> = (0..23).map(|k| PathBuf::from(format!("{k}.bvh"))).collect();
        let mut seen: Vec<u64> = (1..=5)
            .flat_map(|number| SurveyPlan::new(&files, "", Shard { number, of: 5 }).own_positions().collect::<Vec<_>>())
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..23).collect::<Vec<u64>>());
        assert_eq!(SurveyPlan::new(&files[..2], "", Shard { number: 5, of: 5 }).own_files(), 0);
    }

    #[test]
    fn the_index_of_a_file_is_its_place_among_those_of_the_shard() {
        let files: Vec<PathBuf> = (0..23).map(|k| PathBuf::from(format!("{k}.bvh"))).collect();
        for shard in [Shard::WHOLE, Shard { number: 2, of: 5 }, Shard { number: 5, of: 5 }] {
            let plan = SurveyPlan::new(&files, "", shard);
            let own: Vec<u64> = plan.own_positions().collect();
            assert_eq!(plan.own_files(), own.len());
            for position in 0..30 {
                let expected = own.iter().position(|&own| own == position);
                assert_eq!(plan.own_index(position), expected);
            }
        }
    }

    #[test]
    fn a_shard_is_a_number_from_one_to_n() {
        assert_eq!("2/8".parse(), Ok(Shard { number: 2, of: 8 }));
        for wrong in ["0/8", "9/8", "1", "1/0", "a/b", "-1/2", "1/2/3", "1/1000001", "1/18446744073709551615"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_digest_is_fnv_1a() {
        // Published test vector of the 128-bit hash for "a".
        let mut digest = Digest::new();
        digest.eat(b"a");
        assert_eq!(digest.hexadecimal(), "d228cb696f1a8caf78912b704e4a8964");
    }
}
