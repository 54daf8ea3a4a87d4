//! Axis, plane, colours, overlay, and *Recompress*.

use egui::{ComboBox, DragValue, Slider, Ui};
use fsz_field::usual_fill_value;

use crate::model::palette::Map;
use crate::model::scene::{ErrorMode, Overlay};
use crate::model::settings::{Layout, RangeMode, Setting};
use crate::model::trial::Target;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::{entered, heading};

/// A list to choose from; the option that was chosen, if it is another.
fn choice<T: Copy + PartialEq>(
    ui: &mut Ui,
    label: &str,
    value: T,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Option<T> {
    let mut chosen = value;
    ui.horizontal(|ui| {
        let text = ui.label(label);
        ComboBox::from_id_salt(label)
            .selected_text(name(value))
            .show_ui(ui, |ui| {
                for &option in all {
                    ui.selectable_value(&mut chosen, option, name(option));
                }
            })
            .response
            .labelled_by(text.id);
    });
    (chosen != value).then_some(chosen)
}

/// Axis, plane, colours, overlay, and *Recompress*.
pub fn controls(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    if input.session.set.leader().is_none() {
        return Vec::new();
    }
    let mut commands = variables(ui, input);
    commands.extend(plane(ui, input));
    commands.extend(view(ui, input));
    commands.extend(recompress(ui, input));
    commands
}

/// Variable and step of a file that has several.
fn variables(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let Some(catalog) = input.session.catalogs.iter().flatten().next() else { return Vec::new() };
    let mut commands = Vec::new();
    let (shown, playing) = (&input.session.choice, input.view.playing);
    let heading = heading(ui, "Variable");
    let mut choice = shown.clone();
    let list = ComboBox::from_id_salt("variable").selected_text(&choice.variable);
    let list = list.show_ui(ui, |ui| {
        for entry in &catalog.entries {
            ui.selectable_value(&mut choice.variable, entry.name.clone(), &entry.name);
        }
    });
    list.response.labelled_by(heading.id);
    choice = catalog.nearest(&choice);
    let steps = catalog.steps(&choice.variable);
    if steps > 1 {
        ui.horizontal(|ui| {
            ui.spacing_mut().slider_width = 90.0;
            ui.add(Slider::new(&mut choice.step, 0..=steps - 1).text("Step"));
            let mut plays = playing;
            if ui.toggle_value(&mut plays, "Play").changed() {
                commands.push(Command::Play(plays));
            }
        });
        let mut backwards = input.view.backwards;
        if ui.checkbox(&mut backwards, "Backwards").changed() {
            commands.push(Command::Backwards(backwards));
        }
    }
    if playing && !input.reading {
        let next = if input.view.backwards { steps - 1 } else { 1 };
        choice.step = (choice.step + next) % steps;
    }
    if choice != *shown && !input.reading {
        commands.push(Command::Choose(choice));
    }
    ui.separator();
    commands
}

/// Axis and plane.
fn plane(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    let place = input.session.place;
    let Some(grid) = input.session.set.leader().map(|d| &d.grid).filter(|grid| grid.axes() > 1)
    else {
        return commands;
    };
    heading(ui, "Plane");
    ui.horizontal_wrapped(|ui| {
        for axis in 0..grid.axes() {
            if ui.selectable_label(place.axis == axis, grid.axis_name(axis)).clicked() {
                commands.push(Command::Face(axis));
            }
        }
    });
    let last = grid.planes(place.axis).saturating_sub(1);
    let mut plane = place.plane;
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = 130.0;
        let slider = Slider::new(&mut plane, 0..=last).show_value(false);
        ui.add(slider.text(""))
            .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, "plane slider"));
        let number = ui.add(DragValue::new(&mut plane).range(0..=last));
        number.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "plane number")
        });
        ui.label(format!("of 0 to {last}"));
    });
    if plane != place.plane {
        commands.push(Command::Plane(plane));
    }
    ui.separator();
    commands
}

/// Panes, colours and what lies over the picture.
fn view(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut set = |setting: Option<Setting>| commands.extend(setting.map(Command::Set));
    let s = input.settings();
    heading(ui, "View");
    set(choice(ui, "Panes", s.layout, &Layout::ALL, Layout::name).map(Setting::Layout));
    let reset = input.view.arrangement.is_some() && ui.button("Reset panes").clicked();
    set(choice(ui, "Colormap", s.map, &Map::ALL, Map::name).map(Setting::Map));
    set(choice(ui, "Range", s.range, &RangeMode::ALL, RangeMode::name).map(Setting::Range));
    let mut log = s.log;
    let changed = ui.checkbox(&mut log, "Logarithmic").changed();
    set(changed.then_some(Setting::Log(log)));
    set(choice(ui, "Error", s.error, &ErrorMode::ALL, ErrorMode::name).map(Setting::Error));
    set(choice(ui, "Overlay", s.overlay, &Overlay::ALL, Overlay::name).map(Setting::Overlay));
    if s.overlay != Overlay::Off {
        let mut opacity = s.opacity;
        let changed = ui.add(Slider::new(&mut opacity, 0.0..=1.0).text("Opacity")).changed();
        set(changed.then_some(Setting::Opacity(opacity)));
    }
    if reset {
        commands.push(Command::ResetPanes);
    }
    if input.session.set.original.is_some() && input.session.set.subject.is_some() {
        let mut blink = input.view.blink;
        if ui.checkbox(&mut blink, "Blink: show the original (B)").changed() {
            commands.push(Command::Blink(blink));
        }
        let mut wipes = input.view.wipe.is_some();
        let label = "Wipe from original to reconstruction";
        if ui.checkbox(&mut wipes, label).changed() {
            commands.push(Command::Wipe(wipes.then_some(0.5)));
        }
        if let Some(mut at) = input.view.wipe
            && ui.add(Slider::new(&mut at, 0.0..=1.0).text("Position")).changed()
        {
            commands.push(Command::Wipe(Some(at)));
        }
    }
    ui.separator();
    commands
}

/// What the original is compressed to in memory, by which profile, and its missing values.
fn recompress(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    if input.session.set.original.is_none() {
        return commands;
    }
    heading(ui, "Recompress");
    let s = input.settings();
    let mut set = |setting: Setting| commands.extend([Command::Set(setting), Command::Recompress]);
    choice(ui, "To", s.try_target, &Target::ALL, Target::name)
        .into_iter()
        .for_each(|target| set(Setting::TryTarget(target)));
    let mut number = s.try_number();
    let (least, most) = s.try_target.ends();
    ui.spacing_mut().slider_width = 150.0;
    let slider = Slider::new(&mut number, least..=most)
        .logarithmic(s.try_target != Target::Psnr)
        .custom_formatter(|v, _| s.try_target.text(v));
    let slider = ui.add(slider).on_hover_text("Recompresses the original as you drag");
    let name = s.try_target.name();
    slider.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, name));
    if number != s.try_number() {
        set(Setting::TryNumber(number));
    }
    let mut dense = s.try_dense;
    if ui.checkbox(&mut dense, "Profile dense").changed() {
        set(Setting::TryDense(dense));
    }
    ui.horizontal(|ui| {
        let label = ui.label("Missing values");
        let mut missing = input.session.missing.clone();
        let typed = egui::TextEdit::singleline(&mut missing)
            .desired_width(f32::INFINITY)
            .hint_text("none, or such as 1e20");
        let typed = ui.add(typed).labelled_by(label.id);
        if typed.changed() {
            commands.push(Command::TypeMissing(missing));
        }
        if entered(ui, &typed) {
            commands.push(Command::Recompress);
        }
        typed.on_hover_text(
            "Values that mark missing data, such as 9.96921e36. They are stored exactly and do not \
             count towards the range. Press Enter to recompress",
        );
    });
    let facts = input.session.set.subject.as_ref().and_then(|subject| subject.facts.as_ref());
    let fill_value = facts.and_then(|facts| {
        let certificate = &facts.certificate;
        usual_fill_value(facts.header.dtype, certificate.min, certificate.max)
    });
    if let Some((end, value)) = fill_value {
        ui.label(format!(
            "The {end} value is {value}. If it marks missing elements, name it above."
        ));
    }
    ui.separator();
    commands
}
