//! What is shown, as text: tables for other programs, and a command line.

use fsz_field::Kind;

use crate::model::palette::kind_name;
use crate::model::rate_distortion::RateDistortion;
use crate::model::session::Session;

/// The figures of the whole field and of the plane, a line each.
pub fn metrics_csv(session: &Session) -> String {
    let mut text = String::from(
        "scope,field,max_abs_error,psnr,nrmse,ssim,mean_error,bound_violations,compared,elements\n",
    );
    let plane = format!("axis {} plane {}", session.place.axis, session.place.plane);
    for (of, figures) in
        [("whole field", session.measured.both()), (plane.as_str(), session.plane_figures())]
    {
        for (name, measures) in ["reconstruction", "comparison"].into_iter().zip(figures) {
            let Some(m) = measures else { continue };
            let c = &m.comparison;
            let beyond = c.violations().map_or(String::new(), |n| n.to_string());
            text.push_str(&format!(
                "{of},{name},{:e},{},{:e},{},{:e},{beyond},{},{}\n",
                c.max_abs_error,
                c.psnr(),
                c.nrmse(),
                m.ssim,
                c.mean_error,
                c.compared,
                c.elements
            ));
        }
    }
    text
}

/// The tiles, a line each.
pub fn tiles_csv(session: &Session) -> String {
    let mut text = String::from("tile,kind,bytes,escapes,mean_rate\n");
    let tiles = session.set.subject.as_ref().and_then(|s| s.tiles());
    for (i, tile) in tiles.into_iter().flat_map(|tiles| tiles.iter()).enumerate() {
        let (kind, rate) = (kind_name(tile.kind), tile.mean_rate());
        text.push_str(&format!("{i},{kind},{},{},{rate}\n", tile.bytes, tile.escapes));
    }
    text
}

/// The command line that does what is shown.
pub fn command(session: &Session) -> Option<String> {
    if session.live.is_some() {
        return None;
    }
    let (leader, place) = (session.set.leader()?, session.place);
    let path = leader.path.display();
    let bp = matches!(Kind::of(&leader.path), Ok(Kind::Bp));
    let selection = match bp {
        true => format!(" --variable '{}' --step {}", session.choice.variable, session.choice.step),
        false => String::new(),
    };
    Some(match &leader.facts {
        _ if session.set.original.is_some() && leader.is_reconstruction() => {
            let original = session.set.original.as_ref()?.path.display();
            format!("fsz compare '{original}' '{path}'{selection}")
        }
        Some(_) if leader.grid.shape().len() == 3 => {
            let (axis, index) = (place.axis, place.plane);
            format!("fsz slice '{path}'{selection} --axis {axis} --index {index} -o plane.npy")
        }
        _ => format!("fsz inspect '{path}'"),
    })
}

/// The points of rate and distortion, a line each.
pub fn rate_distortion_csv(of: &RateDistortion) -> String {
    let mut text =
        format!("# {}\ncodec,parameter,bits_per_value,psnr,max_abs_error,present\n", of.of);
    for p in &of.points {
        let name = p.method.name().replace(", ", " ");
        text.push_str(&format!(
            "{name},{:e},{},{},{:e},{}\n",
            p.parameter, p.bits, p.psnr, p.max_error, p.present
        ));
    }
    text
}
