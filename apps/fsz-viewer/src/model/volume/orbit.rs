//! From where a field is looked at in three dimensions.

use std::f32::consts::{FRAC_PI_2, PI};

use fsz_wgpu::Rays;
use serde::{Deserialize, Serialize};

/// An eye on a sphere about the field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Orbit {
    /// Around the field, in radians.
    pub yaw: f32,
    /// Above it, in radians, up to a right angle.
    pub pitch: f32,
    /// 1 fits the field into the pane.
    pub zoom: f32,
    /// How far the middle of the pane is from that of the field, across and down.
    pub pan: [f32; 2],
    /// Rays come from one point; otherwise they are parallel.
    pub perspective: bool,
}

impl Default for Orbit {
    fn default() -> Self {
        Orbit { yaw: 0.6, pitch: 0.45, zoom: 1.0, pan: [0.0; 2], perspective: true }
    }
}

/// Half of the shorter side of a pane that fits the field, its longest side being 1.
const HALF: f32 = 0.75;

/// From the eye to the middle of the field.
const DISTANCE: f32 = 3.0;

/// A whole pane turns the field by this angle.
const TURN: f32 = PI;

/// The greatest magnification.
const NEAREST: f32 = 64.0;

impl Orbit {
    /// The unit vectors across and down the picture, and from the eye to the field.
    pub fn axes(&self) -> [[f32; 3]; 3] {
        let ((s, c), (p, q)) = (self.yaw.sin_cos(), self.pitch.sin_cos());
        [[c, 0.0, -s], [-s * p, q, -c * p], [s * q, p, c * q]]
    }

    /// Half the sides of the window that is looked through, in the plane of the field's middle. `aspect` is the
    /// pane's width by its height.
    fn window(&self, aspect: f32) -> [f32; 2] {
        let half = HALF / self.zoom;
        if aspect >= 1.0 { [half * aspect, half] } else { [half, half / aspect.max(1e-3)] }
    }

    fn middle(&self) -> [f32; 3] {
        let [across, down, _] = self.axes();
        std::array::from_fn(|k| across[k] * self.pan[0] + down[k] * self.pan[1])
    }

    /// The rays of a pane, its width by its height being `aspect`.
    pub fn rays(&self, aspect: f32) -> Rays {
        let ([across, down, along], middle) = (self.axes(), self.middle());
        let [width, height] = self.window(aspect);
        let eye = std::array::from_fn(|k| middle[k] - DISTANCE * along[k]);
        let (across, down) = (across.map(|k| k * width), down.map(|k| k * height));
        let spread = |vector: [f32; 3]| vector.map(|k| k / DISTANCE);
        match self.perspective {
            true => Rays {
                origin: [eye, [0.0; 3], [0.0; 3]],
                direction: [along, spread(across), spread(down)],
            },
            false => Rays { origin: [eye, across, down], direction: [along, [0.0; 3], [0.0; 3]] },
        }
    }

    /// Where a point is seen, from −1 at the left and top of the pane to 1; none where it is behind the eye.
    pub fn project(&self, point: [f32; 3], aspect: f32) -> Option<[f32; 2]> {
        let ([across, down, along], middle) = (self.axes(), self.middle());
        let from_middle: [f32; 3] = std::array::from_fn(|k| point[k] - middle[k]);
        let part = |axis: [f32; 3]| axis.iter().zip(from_middle).map(|(a, b)| a * b).sum::<f32>();
        let depth = DISTANCE + part(along);
        let near = if self.perspective { depth / DISTANCE } else { 1.0 };
        let [width, height] = self.window(aspect);
        (near > 0.01).then(|| [part(across) / width / near, part(down) / height / near])
    }

    /// Turns the field by a part of a pane, across and down.
    pub fn turn(&mut self, [across, down]: [f32; 2]) {
        self.yaw = (self.yaw + across * TURN).rem_euclid(2.0 * PI);
        self.pitch = (self.pitch + down * TURN).clamp(-FRAC_PI_2, FRAC_PI_2);
    }

    /// Moves the field by a part of a pane, across and down.
    pub fn shift(&mut self, by: [f32; 2], aspect: f32) {
        let window = self.window(aspect);
        self.pan =
            std::array::from_fn(|k| (self.pan[k] - 2.0 * by[k] * window[k]).clamp(-1.0, 1.0));
    }

    /// Magnifies by a factor.
    pub fn magnify(&mut self, factor: f32) {
        self.zoom = (self.zoom * factor).clamp(0.25, NEAREST);
    }

    /// Looks along an axis, the slowest being 0, so that the field stands as its slices across that axis do.
    pub fn face(&mut self, axis: usize) {
        (self.yaw, self.pitch) = match axis {
            0 => (0.0, 0.0),
            1 => (0.0, FRAC_PI_2),
            _ => (FRAC_PI_2, 0.0),
        };
    }

    /// Fits the field into the pane, seen from where it is at first.
    pub fn reset(&mut self) {
        *self = Orbit { perspective: self.perspective, ..Orbit::default() };
    }

    /// The nearest that is one: of a file that another program wrote.
    pub fn valid(self) -> Orbit {
        let numbers = [self.yaw, self.pitch, self.zoom, self.pan[0], self.pan[1]];
        if !numbers.iter().all(|number| number.is_finite()) {
            return Orbit::default();
        }
        let mut valid = self;
        valid.turn([0.0; 2]);
        valid.magnify(1.0);
        valid.pan = valid.pan.map(|at| at.clamp(-1.0, 1.0));
        valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point is seen where the ray goes through it.
    #[test]
    fn points_are_on_their_rays() {
        for perspective in [true, false] {
            let orbit = Orbit { zoom: 1.7, pan: [0.1, -0.2], perspective, ..Orbit::default() };
            for point in [[0.0; 3], [0.4, -0.3, 0.2], [-0.5, 0.5, 0.5]] {
                let [a, b] = orbit.project(point, 1.6).expect("it is before the eye");
                let rays = orbit.rays(1.6);
                let of = |v: [[f32; 3]; 3], k: usize| v[0][k] + a * v[1][k] + b * v[2][k];
                let origin: [f32; 3] = std::array::from_fn(|k| of(rays.origin, k));
                let towards: [f32; 3] = std::array::from_fn(|k| of(rays.direction, k));
                let square: f32 = towards.iter().map(|t| t * t).sum();
                let t = (0..3).map(|k| (point[k] - origin[k]) * towards[k]).sum::<f32>() / square;
                for k in 0..3 {
                    assert!((origin[k] + t * towards[k] - point[k]).abs() < 1e-5, "{point:?}");
                }
            }
        }
        let behind = Orbit { yaw: 0.0, pitch: 0.0, ..Orbit::default() };
        assert_eq!(behind.project([0.0, 0.0, -9.0], 1.0), None);
    }

    #[test]
    fn facing_an_axis_shows_its_slices() {
        let mut orbit = Orbit::default();
        // Across and down a slice of each axis, of x, y, z.
        for (axis, across, down) in [(0, 0, 1), (1, 0, 2), (2, 2, 1)] {
            orbit.face(axis);
            let [found_across, found_down, _] = orbit.axes();
            assert!((found_across[across].abs() - 1.0).abs() < 1e-5, "{axis}");
            assert!((found_down[down].abs() - 1.0).abs() < 1e-5, "{axis}");
        }
    }

    #[test]
    fn it_stays_where_the_field_is_seen() {
        let mut orbit = Orbit::default();
        orbit.turn([0.0, 9.0]);
        orbit.shift([99.0, -99.0], 1.0);
        orbit.magnify(1e9);
        assert_eq!((orbit.pitch, orbit.pan, orbit.zoom), (FRAC_PI_2, [-1.0, 1.0], NEAREST));
        let forged = Orbit { zoom: 0.0, yaw: 1e9, ..Orbit::default() };
        assert!(forged.valid().zoom > 0.0 && forged.valid().yaw < 7.0);
        assert_eq!(Orbit { pitch: f32::NAN, ..forged }.valid(), Orbit::default());
    }
}
