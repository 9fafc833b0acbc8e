//! A kind of thing: a struct whose fields are scene keys, each with a default and a slot.

use super::check::{Names, WrongKey};
use super::slot::KeySlot;

/// Sees every key of a thing, in order.
pub trait Visitor {
    /// Sees a key and the place of its value. The key of a sub-table has a dot: `particles.substeps`.
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>);
}

/// Part of a thing that others hold to or push. A greater one also serves where a lesser one is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttachPoint {
    /// Nothing: settings, herds, joints, obstacles, and all that is done to things.
    Nothing,
    /// Points, which a hit pushes.
    Points,
    /// A line of points, which an action can lead by its end, too.
    Line,
    /// Rigid bodies, which joints, ropes and pulls can hold to, too.
    Bodies,
}

/// A kind of thing.
pub trait Thing: Clone + Default + core::fmt::Debug {
    /// Word for the kind in a scene: the name of its table.
    const KIND: &'static str;
    /// Older word for the kind, which a reader still takes; `None` where there is none.
    const OLD_KIND: Option<&'static str> = None;
    /// Keys that must be given.
    const REQUIRED: &'static [&'static str];
    /// Older words of keys, which a reader still takes, each with the key it means.
    const OLD_KEYS: &'static [(&'static str, &'static str)] = &[];
    /// Documentation of the kind, and of each key with its unit.
    const ABOUT: (&'static str, &'static [(&'static str, &'static str)]);
    /// Part of it that others hold to.
    const ATTACH_POINT: AttachPoint = AttachPoint::Nothing;
    /// Visits every key.
    fn visit(&mut self, visitor: &mut dyn Visitor);

    /// Name by which others speak of the thing; `None` where the kind has no names.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Number of bodies or characters the thing stands for; `None` where the kind has neither a grid nor a count.
    fn count(&self) -> Option<u32> {
        None
    }

    /// Checks its keys against each other and against the rest of the scene. `index` is its place among its kind.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    fn check(&self, index: usize, names: &Names<'_>) -> Result<(), WrongKey> {
        let _ = (index, names);
        Ok(())
    }
}

/// A struct and its keys, and after these the sub-tables with theirs: `field ("old word"): Type = default => Slot(arguments),`.
/// An old word is still read. Keys after `required` must be given. The function after `checked by` is [`Thing::check`].
macro_rules! thing {
    (
        $(#[doc = $about:literal])*
        $name:ident $kind:literal $(($old_kind:literal))? $(of $attach_point:ident)? required [$($required:literal),*] $(checked by $check:path)?
        {
            $(
                $(#[doc = $doc:literal])*
                $field:ident $(($old:literal))?: $type:ty = $default:expr => $slot:ident $(($($argument:expr),+))?,
            )+
        }
        $(
            $(#[doc = $table_about:literal])*
            $table:ident: $table_name:ident
            {
                $(
                    $(#[doc = $key_doc:literal])*
                    $key:ident $(($key_old:literal))?: $key_type:ty = $key_default:expr => $key_slot:ident $(($($key_argument:expr),+))?,
                )+
            }
        )*
    ) => {
        thing! { @struct $(#[doc = $about])* $name {
            $($(#[doc = $doc])* $field: $type = $default,)+
            $($(#[doc = $table_about])* $table: $table_name = $table_name::default(),)*
        } }
        $(thing! { @struct $(#[doc = $table_about])* $table_name { $($(#[doc = $key_doc])* $key: $key_type = $key_default,)+ } })*

        impl $crate::simulation::scene::thing::Thing for $name {
            const KIND: &'static str = $kind;
            $(const OLD_KIND: Option<&'static str> = Some($old_kind);)?
            const REQUIRED: &'static [&'static str] = &[$($required),*];
            const OLD_KEYS: &'static [(&'static str, &'static str)] = &[
                $($(($old, stringify!($field)),)?)+
                $($($(($key_old, concat!(stringify!($table), ".", stringify!($key))),)?)+)*
            ];
            const ABOUT: (&'static str, &'static [(&'static str, &'static str)]) = (concat!($($about),*), &[
                $((stringify!($field), concat!($($doc),*)),)+
                $($((concat!(stringify!($table), ".", stringify!($key)), concat!($($key_doc),*)),)+)*
            ]);
            $(
                const ATTACH_POINT: $crate::simulation::scene::thing::AttachPoint = $crate::simulation::scene::thing::AttachPoint::$attach_point;
            )?

            fn visit(&mut self, visitor: &mut dyn $crate::simulation::scene::thing::Visitor) {
                use $crate::simulation::scene::slot::KeySlot;
                $(visitor.slot(stringify!($field), KeySlot::$slot(&mut self.$field $($(, $argument)+)?));)+
                $($(visitor.slot(
                    concat!(stringify!($table), ".", stringify!($key)),
                    KeySlot::$key_slot(&mut self.$table.$key $($(, $key_argument)+)?),
                );)+)*
            }

            fn name(&self) -> Option<&str> {
                [$(thing!(@name $slot self.$field)),+].into_iter().flatten().next()
            }

            fn count(&self) -> Option<u32> {
                [$(thing!(@count $field self.$field)),+].into_iter().flatten().next()
            }

            $(
                fn check(
                    &self,
                    index: usize,
                    names: &$crate::simulation::scene::check::Names<'_>,
                ) -> Result<(), $crate::simulation::scene::check::WrongKey> {
                    $check(self, index, names)
                }
            )?
        }
    };
    (@struct $(#[doc = $about:literal])* $name:ident { $($(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr,)+ }) => {
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
    };
    (@name Name $value:expr) => { Some($value.as_str()) };
    (@name $slot:ident $value:expr) => { None };
    (@count grid $value:expr) => { Some($crate::simulation::scene::slot::product(&$value)) };
    (@count count $value:expr) => { Some($value) };
    (@count $field:ident $value:expr) => { None };
}
pub(super) use thing;
