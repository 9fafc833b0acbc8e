//! `<compiler>`: angle units, mass rules, and orientations read by its settings.

use muybridge::collision::tensor;
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation::about;

use crate::Error;
use crate::model::ModelBody;
use crate::xml::{Attribute, Element};

/// Rule for computing the inertia of a body from its geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeoms {
    Never,
    Always,
    Auto,
}

/// Settings of `<compiler>` that affect mass, joint limits and poses.
pub(super) struct Compiler {
    pub degrees: bool,
    pub auto_limits: bool,
    pub from_geoms: FromGeoms,
    /// Range of geom groups that count in the mass.
    pub groups: [f64; 2],
    euler: [char; 3],
    balance: bool,
    least_mass: f64,
    least_inertia: f64,
    total_mass: Option<f64>,
}

impl Compiler {
    /// Reads every `<compiler>`; later settings win.
    pub fn read(root: &Element) -> Result<Self, Error> {
        let mut compiler = Self {
            degrees: true,
            auto_limits: true,
            from_geoms: FromGeoms::Auto,
            groups: [0.0, 5.0],
            euler: ['x', 'y', 'z'],
            balance: false,
            least_mass: 0.0,
            least_inertia: 0.0,
            total_mass: None,
        };
        for element in root.all("compiler") {
            for attribute in &element.attributes {
                compiler.set(attribute)?;
            }
        }
        Ok(compiler)
    }

    fn set(&mut self, attribute: &Attribute) -> Result<(), Error> {
        match attribute.name.as_str() {
            "angle" => self.degrees = choice(attribute, &[("degree", true), ("radian", false)])?,
            "autolimits" => self.auto_limits = choice(attribute, &TRUTH)?,
            "balanceinertia" => self.balance = choice(attribute, &TRUTH)?,
            "boundmass" => self.least_mass = attribute.number()?,
            "boundinertia" => self.least_inertia = attribute.number()?,
            "settotalmass" => self.total_mass = Some(attribute.number()?).filter(|&mass| mass > 0.0),
            "inertiagrouprange" => self.groups = attribute.array()?,
            "inertiafromgeom" => {
                let words = [("false", FromGeoms::Never), ("true", FromGeoms::Always), ("auto", FromGeoms::Auto)];
                self.from_geoms = choice(attribute, &words)?;
            }
            "eulerseq" => self.euler = euler_order(attribute)?,
            "coordinate" => {
                choice(attribute, &[("local", ())]).map_err(|_| {
                    attribute.at.error("global coordinates are not read; save the model with MuJoCo 2.3")
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Converts an angle of the file to radians.
    pub fn radians(&self, angle: f64) -> f64 {
        if self.degrees { angle.to_radians() } else { angle }
    }

    /// The orientation given by the attributes of an element; `None` if it has none.
    pub fn orientation(&self, element: &Element) -> Result<Option<DQuat>, Error> {
        for attribute in &element.attributes {
            let found = match attribute.name.as_str() {
                "quat" => {
                    let [w, x, y, z] = attribute.array()?;
                    unit_quaternion(attribute, DQuat::from_xyzw(x, y, z, w))?
                }
                "axisangle" => {
                    let [x, y, z, angle] = attribute.array()?;
                    about(unit(attribute, DVec3::new(x, y, z))?, self.radians(angle))
                }
                "euler" => self.euler(attribute.array()?),
                "xyaxes" => {
                    let [a, b, c, d, e, f] = attribute.array()?;
                    let x = unit(attribute, DVec3::new(a, b, c))?;
                    let y = DVec3::new(d, e, f);
                    let y = unit(attribute, y - x * x.dot(y))?;
                    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
                }
                "zaxis" => turn_z_to(unit(attribute, attribute.vector()?)?),
                _ => continue,
            };
            return Ok(Some(found));
        }
        Ok(None)
    }

    fn euler(&self, angles: [f64; 3]) -> DQuat {
        let mut rotation = DQuat::IDENTITY;
        for (letter, angle) in self.euler.into_iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => DVec3::X,
                'y' => DVec3::Y,
                _ => DVec3::Z,
            };
            let turn = about(axis, self.radians(angle));
            rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
        }
        rotation
    }

    /// Applies the model's least masses, balanced inertias and total mass.
    pub fn adjust(&self, bodies: &mut [ModelBody]) {
        for body in bodies.iter_mut().map(|body| &mut body.body) {
            body.mass = body.mass.max(self.least_mass);
            if self.balances() {
                let (moments, axes) = tensor::principal(body.inertia);
                let moments = self.balanced(moments.max(DVec3::splat(self.least_inertia)));
                body.inertia = axes * DMat3::from_diagonal(moments) * axes.transpose();
            }
        }
        let mass: f64 = bodies.iter().map(|body| body.body.mass).sum();
        if let Some(total) = self.total_mass.filter(|_| mass > 0.0) {
            for body in bodies.iter_mut().map(|body| &mut body.body) {
                body.mass *= total / mass;
                body.inertia *= total / mass;
            }
        }
    }

    /// Whether inertias are adjusted after reading, so that an invalid inertia in the file needs no note.
    pub fn balances(&self) -> bool {
        self.balance || self.least_inertia > 0.0
    }

    /// Replaces moments that no body can have by their mean, as MuJoCo's `balanceinertia` does.
    fn balanced(&self, m: DVec3) -> DVec3 {
        let real = m.x + m.y >= m.z && m.y + m.z >= m.x && m.z + m.x >= m.y;
        if real || !self.balance { m } else { DVec3::splat(m.element_sum() / 3.0) }
    }
}

const TRUTH: [(&str, bool); 2] = [("true", true), ("false", false)];

/// Parses one of several words.
pub(super) fn choice<T: Copy>(attribute: &Attribute, words: &[(&str, T)]) -> Result<T, Error> {
    let value = attribute.value.trim();
    words.iter().find(|(word, _)| *word == value).map(|&(_, meaning)| meaning).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let value = crate::xml::shorten(value);
        attribute.at.error(format!("{} is “{value}”; it must be {}", attribute.name, known.join(" or ")))
    })
}

/// Normalizes a vector; a vector of length 0 is an error.
pub(super) fn unit(attribute: &Attribute, vector: DVec3) -> Result<DVec3, Error> {
    let length = vector.length();
    if length > 1e-12 && length.is_finite() {
        Ok(vector / length)
    } else {
        Err(attribute.at.error(format!("{} has no direction: its vector has no length", attribute.name)))
    }
}

fn unit_quaternion(attribute: &Attribute, q: DQuat) -> Result<DQuat, Error> {
    let length = q.length();
    if length > 1e-12 && length.is_finite() {
        Ok(q / length)
    } else {
        Err(attribute.at.error("a quaternion of length 0 is no orientation; no rotation is 1 0 0 0"))
    }
}

/// The shortest rotation from z to the unit vector `v`.
pub(super) fn turn_z_to(v: DVec3) -> DQuat {
    if v.z < -1.0 + 1e-14 {
        return DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    DQuat::from_xyzw(-v.y, v.x, 0.0, 1.0 + v.z).normalize()
}

fn euler_order(attribute: &Attribute) -> Result<[char; 3], Error> {
    let letters: Vec<char> = attribute.value.trim().chars().collect();
    let known = |letter: &char| "xyzXYZ".contains(*letter);
    match letters[..] {
        [a, b, c] if letters.iter().all(known) => Ok([a, b, c]),
        _ => Err(attribute.at.error("eulerseq must be three letters of x, y, z, X, Y, Z, for example xyz")),
    }
}
