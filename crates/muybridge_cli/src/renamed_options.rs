//! Options that got a new name: the old name still works, and a note says which one is meant.

use std::ffi::OsString;

/// An option under its old and its new name.
struct RenamedOption {
    /// The verbs that have the option.
    verbs: &'static [&'static str],
    /// The old name, with its dashes.
    old: &'static str,
    /// The new name, with its dashes.
    new: &'static str,
}

const RENAMED: [RenamedOption; 4] = [
    RenamedOption { verbs: &["check", "fix", "survey"], old: "--velocity", new: "--velocity-scheme" },
    RenamedOption { verbs: &["fix"], old: "--only", new: "--tools" },
    RenamedOption { verbs: &["simulate"], old: "--mode", new: "--particle-mode" },
    RenamedOption { verbs: &["simulate"], old: "--rate", new: "--fps" },
];

/// The arguments of the program under the new names of its options.
pub struct Renewed {
    /// The arguments, the name of the program first.
    pub arguments: Vec<OsString>,
    /// One sentence for each old name that was used.
    pub notes: Vec<String>,
}

/// Replaces the old names of options by the new ones. What stands behind `--` is no option.
pub fn renewed(arguments: impl IntoIterator<Item = OsString>) -> Renewed {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut notes = Vec::new();
    let verb = arguments.get(1).cloned().unwrap_or_default();
    for argument in arguments.iter_mut().skip(2).take_while(|argument| *argument != "--") {
        let Some(text) = argument.to_str() else { continue };
        let name = text.split('=').next().unwrap_or_default();
        let is_meant = |option: &&RenamedOption| option.old == name && option.verbs.iter().any(|own| verb == *own);
        let Some(RenamedOption { old, new, .. }) = RENAMED.iter().find(is_meant) else { continue };
        let note = format!("{old} is now called {new}");
        *argument = format!("{new}{}", &text[name.len()..]).into();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Renewed { arguments, notes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_new_name_is_an_option_of_its_verbs_and_no_old_name_is() {
        let program = crate::Cli::command();
        for RenamedOption { verbs, old, new } in RENAMED {
            for verb in program.get_subcommands() {
                let has = |name: &str| verb.get_arguments().any(|own| own.get_long() == Some(&name[2..]));
                assert!(!has(old) || !verbs.contains(&verb.get_name()), "{} {old}", verb.get_name());
                assert!(has(new) || !verbs.contains(&verb.get_name()), "{} {new}", verb.get_name());
            }
        }
    }

    #[test]
    fn an_old_name_is_replaced_with_its_value_and_told_once() {
        let renewed = |words: &str| renewed(words.split(' ').map(OsString::from));
        let told = renewed("muybridge fix a.bvh --only=path --only spin --clip only -- --only");
        assert_eq!(
            told.arguments,
            "muybridge fix a.bvh --tools=path --tools spin --clip only -- --only".split(' ').collect::<Vec<_>>()
        );
        assert_eq!(told.notes, ["--only is now called --tools"]);
        assert!(renewed("muybridge check a.bvh --only path").notes.is_empty(), "an option of another verb");
    }
}
