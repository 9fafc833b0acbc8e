//! A kind of thing: a struct whose fields are the keys of the scene, with a default and a slot for each.

use super::slot::KeySlot;

/// What sees every key of a thing, in order.
pub trait Visitor {
    /// Sees a key and the place of its value.
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>);
}

/// A kind of thing.
pub trait Thing: Clone + Default {
    /// The word for it in a scene: the name of its table.
    const KIND: &'static str;
    /// Keys that must be given.
    const REQUIRED: &'static [&'static str];
    /// What the kind is, and each key with what it says and its unit, as their documentation has it.
    const ABOUT: (&'static str, &'static [(&'static str, &'static str)]);
    /// Shows every key.
    fn visit(&mut self, visitor: &mut dyn Visitor);
}

/// A struct and its keys: `field: Type = default => Slot(arguments),`. Keys after `required` must be given.
macro_rules! thing {
    (
        $(#[doc = $about:literal])* $name:ident $kind:literal required [$($required:literal),*]
        { $($(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr => $slot:ident $(($($argument:expr),+))?,)+ }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $crate::simulation::scene::thing::Thing for $name {
            const KIND: &'static str = $kind;
            const REQUIRED: &'static [&'static str] = &[$($required),*];
            const ABOUT: (&'static str, &'static [(&'static str, &'static str)]) =
                (concat!($($about),*), &[$((stringify!($field), concat!($($doc),*))),+]);

            fn visit(&mut self, visitor: &mut dyn $crate::simulation::scene::thing::Visitor) {
                use $crate::simulation::scene::slot::KeySlot;
                $(visitor.slot(stringify!($field), KeySlot::$slot(&mut self.$field $($(, $argument)+)?));)+
            }
        }
    };
}
pub(super) use thing;
