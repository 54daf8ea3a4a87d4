//! The wrapper against the real library, without any operator.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use adios2::{
    Adios, Attribute, DataType, Engine, Error, Layout, Mode, Selection, ShapeKind, Step, StepStatus,
};
use tempfile::TempDir;

const ROWS: u64 = 6;
const COLUMNS: u64 = 10;

/// The global array at a step: row and column are readable from each value.
fn whole(step: u64) -> Vec<f32> {
    (0..ROWS * COLUMNS).map(|index| (1000 * step + index) as f32).collect()
}

/// Three steps of a global array in two ADIOS2 blocks, a local array in two, a value and
/// attributes.
fn write(folder: &Path, engine: &str) -> PathBuf {
    let path = folder.join(format!("{engine}.bp"));
    let io = Adios::new().unwrap().declare_io("out").unwrap();
    io.set_engine(engine).unwrap();
    let u = io
        .define_variable::<f32>("U", &Layout::global(&[ROWS, COLUMNS], &[0, 0], &[2, COLUMNS]))
        .unwrap();
    let parts = io.define_variable::<f64>("parts", &Layout::local(&[3])).unwrap();
    let time = io.define_variable::<i32>("time", &Layout::Value).unwrap();
    io.define_attribute("spacing", &[0.5f64, 0.25]).unwrap();
    io.define_attribute("order", &[7i32]).unwrap();
    io.define_text_attribute("made by", "a test").unwrap();
    let mut out = io.open(&path, Mode::Write).unwrap();
    for step in 0..3u64 {
        out.begin_step(None).unwrap();
        let values = whole(step);
        let (head, tail) = values.split_at((2 * COLUMNS) as usize);
        let locals = [step as f64; 4];
        out.put_batch(|batch| {
            batch.put_block(&u, &[0, 0], &[2, COLUMNS], head)?;
            batch.put_block(&u, &[2, 0], &[4, COLUMNS], tail)?;
            batch.put_block(&parts, &[], &[3], &locals[..3])?;
            batch.put_block(&parts, &[], &[4], &locals)
        })
        .unwrap();
        out.put(&time, &[step as i32]).unwrap();
        out.end_step().unwrap();
    }
    out.close().unwrap();
    path
}

fn open(path: &Path, engine: &str, mode: Mode) -> Engine {
    let io = Adios::new().unwrap().declare_io("in").unwrap();
    io.set_engine(engine).unwrap();
    io.open(path, mode).unwrap()
}

fn check_random_access(engine: &str) {
    let folder = TempDir::new().unwrap();
    let file = open(&write(folder.path(), engine), engine, Mode::ReadRandomAccess);
    let names: Vec<_> = file.variables().unwrap().into_iter().map(|v| v.name).collect();
    assert_eq!(names, ["U", "parts", "time"]);
    assert_eq!(file.steps().unwrap(), 3);
    let u = file.variable("U").unwrap();
    assert_eq!((u.dtype, u.kind, u.steps), (DataType::F32, ShapeKind::GlobalArray, 3));
    assert_eq!(u.shape, [ROWS, COLUMNS]);
    assert_eq!(file.variable("parts").unwrap().kind, ShapeKind::LocalArray);

    for step in 0..3 {
        let at = Step::At(step);
        let expected = whole(step);
        assert_eq!(file.read::<f32>("U", at, &Selection::All).unwrap(), expected);
        let block = file.read::<f32>("U", at, &Selection::Block(1)).unwrap();
        assert_eq!(block, expected[(2 * COLUMNS) as usize..]);
        let inner = Selection::Box { start: vec![1, 3], count: vec![2, 1] };
        let pick = |row: u64, column: u64| expected[(row * COLUMNS + column) as usize];
        assert_eq!(file.read::<f32>("U", at, &inner).unwrap(), [pick(1, 3), pick(2, 3)]);
        let inner = Selection::BlockBox { block: 1, start: vec![3, 9], count: vec![1, 1] };
        assert_eq!(file.read::<f32>("U", at, &inner).unwrap(), [pick(5, 9)]);
        let value: Vec<i32> = file.read("time", at, &Selection::All).unwrap();
        assert_eq!(value, [step as i32]);
        let part: Vec<f64> = file.read("parts", at, &Selection::Block(1)).unwrap();
        assert_eq!(part, [step as f64; 4]);
        let inner = Selection::BlockBox { block: 1, start: vec![2], count: vec![2] };
        let part: Vec<f64> = file.read("parts", at, &inner).unwrap();
        assert_eq!(part, [step as f64; 2]);
        let part: Vec<f64> = file.read("parts", at, &Selection::Block(0)).unwrap();
        assert_eq!(part, [step as f64; 3]);

        let blocks = file.blocks("U", at).unwrap();
        assert_eq!(blocks.shape, [ROWS, COLUMNS]);
        assert_eq!(blocks.blocks.len(), 2);
        assert_eq!(blocks.blocks[1].start.as_deref(), Some(&[2, 0][..]));
        assert_eq!(blocks.blocks[1].count, [4, COLUMNS]);
        if engine == "BP5" {
            let last = (1000 * step + ROWS * COLUMNS - 1) as f64;
            let first = (1000 * step + 2 * COLUMNS) as f64;
            assert_eq!(blocks.blocks[1].range, Some((first, last)));
        } else {
            assert_eq!(blocks.blocks[1].range, None);
        }
        let parts = file.blocks("parts", at).unwrap();
        assert!(parts.shape.is_empty());
        assert_eq!(parts.blocks[0].start, None);
        assert_eq!(parts.blocks[0].count, [3]);
    }
    // Two steps and two variables in one go.
    let (mut first, mut last) = (vec![0f32; (ROWS * COLUMNS) as usize], [0f64; 4]);
    file.get_batch(|batch| {
        batch.read_into("U", Step::At(2), &Selection::All, &mut first)?;
        batch.read_into("parts", Step::At(1), &Selection::Block(1), &mut last)
    })
    .unwrap();
    assert_eq!(first, whole(2));
    assert_eq!(last, [1.0; 4]);

    let attributes = file.attributes().unwrap();
    assert!(attributes.contains(&("spacing".into(), Attribute::Float(vec![0.5, 0.25]))));
    assert!(attributes.contains(&("order".into(), Attribute::Int(vec![7]))));
    // SAFETY: it is the library that is in use.
    let library = unsafe { adios2_sys::Functions::open(adios2::library_path().unwrap()) }.unwrap();
    let text = match library.text {
        Some(_) => Attribute::Text(vec!["a test".into()]),
        None => Attribute::Other(DataType::String),
    };
    assert!(attributes.contains(&("made by".into(), text)));
}

#[test]
fn bp5_with_all_steps_at_hand() {
    check_random_access("BP5");
}

#[test]
fn bp4_with_all_steps_at_hand() {
    check_random_access("BP4");
}

#[test]
fn step_by_step() {
    for engine in ["BP5", "BP4"] {
        let folder = TempDir::new().unwrap();
        let mut file = open(&write(folder.path(), engine), engine, Mode::Read);
        let mut step = 0;
        while file.begin_step(None).unwrap() == StepStatus::Ready {
            assert_eq!(file.current_step().unwrap(), step);
            let values: Vec<f32> = file.read("U", Step::Current, &Selection::All).unwrap();
            assert_eq!(values, whole(step));
            assert_eq!(file.blocks("U", Step::Current).unwrap().blocks.len(), 2);
            file.end_step().unwrap();
            step += 1;
        }
        assert_eq!(step, 3);
    }
}

/// Of which little was written, or whose shape is damaged.
#[test]
fn an_array_larger_than_memory_is_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large.bp");
    let io = Adios::new().unwrap().declare_io("large").unwrap();
    let array = io.define_variable::<f32>("T", &Layout::whole(&[1 << 46])).unwrap();
    let mut out = io.open(&path, Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    out.put_block(&array, &[7], &[4], &[1.0; 4]).unwrap();
    out.end_step().unwrap();
    out.close().unwrap();
    let file = open(&path, "BP5", Mode::ReadRandomAccess);
    let whole = file.read::<f32>("T", Step::At(0), &Selection::All);
    let told = whole.unwrap_err().to_string();
    assert!(told.starts_with("out of memory for 70368744177664 values"), "{told}");
    assert_eq!(file.read::<f32>("T", Step::At(0), &Selection::Block(0)).unwrap(), [1.0; 4]);
}

#[test]
fn mistakes_are_errors() {
    let folder = TempDir::new().unwrap();
    let file = open(&write(folder.path(), "BP5"), "BP5", Mode::ReadRandomAccess);
    let at = Step::At(0);
    let all = Selection::All;
    assert!(matches!(file.read::<f32>("V", at, &all), Err(Error::NoSuchVariable(_))));
    assert!(matches!(file.read::<f64>("U", at, &all), Err(Error::WrongType { .. })));
    assert!(matches!(file.read::<f32>("U", Step::At(3), &all), Err(Error::OutOfRange(_))));
    assert!(matches!(file.read::<f32>("U", Step::Current, &all), Err(Error::InvalidArgument(_))));
    assert!(matches!(file.blocks("U", Step::At(9)), Err(Error::OutOfRange(_))));
    let block = Selection::Block(2);
    assert!(matches!(file.read::<f32>("U", at, &block), Err(Error::OutOfRange(_))));
    let outside = Selection::Box { start: vec![5, 0], count: vec![2, 1] };
    assert!(matches!(file.read::<f32>("U", at, &outside), Err(Error::OutOfRange(_))));
    let huge = Selection::Box { start: vec![u64::MAX, 0], count: vec![u64::MAX, 1] };
    assert!(matches!(file.read::<f32>("U", at, &huge), Err(Error::OutOfRange(_))));
    assert!(matches!(file.read::<f64>("parts", at, &all), Err(Error::InvalidArgument(_))));
    let mut short = [0f32; 3];
    let read = file.read_into("U", at, &all, &mut short);
    assert!(matches!(read, Err(Error::InvalidArgument(_))));

    let io = Adios::new().unwrap().declare_io("other").unwrap();
    let missing = io.open(folder.path().join("missing.bp"), Mode::ReadRandomAccess);
    assert!(matches!(missing, Err(Error::Call { .. })));
    let config = Adios::with_config(&folder.path().join("missing.xml"));
    assert!(matches!(config, Err(Error::Call { .. })));
}

#[test]
fn nothing_is_left_elsewhere_of_what_is_read() {
    let folder = TempDir::new().unwrap();
    let named = folder.path().file_name().unwrap().to_str().unwrap().trim_start_matches('.');
    let path = folder.path().join(format!("{named}.bp"));
    std::fs::rename(write(folder.path(), "BP5"), &path).unwrap();
    open(&path, "BP5", Mode::ReadRandomAccess).close().unwrap();
    let mut file = open(&path, "BP5", Mode::Read);
    while file.begin_step(None).unwrap() == StepStatus::Ready {
        file.end_step().unwrap();
    }
    file.close().unwrap();
    let left = std::fs::read_dir("/tmp").unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with(named)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn engines_may_move_between_threads() {
    let folder = TempDir::new().unwrap();
    let file = open(&write(folder.path(), "BP5"), "BP5", Mode::ReadRandomAccess);
    std::thread::scope(|scope| {
        for step in 0..3 {
            let file = &file;
            scope.spawn(move || {
                for _ in 0..10 {
                    let read: Vec<f32> = file.read("U", Step::At(step), &Selection::All).unwrap();
                    assert_eq!(read, whole(step));
                }
            });
        }
    });
}

/// A file of thousands of ranks has as many ADIOS2 blocks.
#[test]
fn reading_one_of_many_blocks_does_not_list_all() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("many.bp");
    let io = Adios::new().unwrap().declare_io("out").unwrap();
    let layout = Layout::global(&[2000], &[0], &[1]);
    let variables = ["u", "v"].map(|name| io.define_variable::<f32>(name, &layout).unwrap());
    let mut out = io.open(&path, Mode::Write).unwrap();
    for block in 0..2000 {
        for variable in &variables {
            out.put_block(variable, &[block], &[1], &[block as f32]).unwrap();
        }
    }
    out.close().unwrap();
    let file = open(&path, "BP5", Mode::ReadRandomAccess);
    let seconds = |work: &dyn Fn(u64)| {
        let began = Instant::now();
        (0..100).for_each(work);
        began.elapsed()
    };
    let lists = seconds(&|at| {
        let name = ["u", "v"][at as usize % 2];
        assert_eq!(file.blocks(name, Step::At(0)).unwrap().blocks.len(), 2000);
    });
    let reads = seconds(&|block| {
        let read = file.read::<f32>("u", Step::At(0), &Selection::Block(block)).unwrap();
        assert_eq!(read, [block as f32]);
    });
    assert!(2 * reads < lists, "{reads:?} for 100 ADIOS2 blocks, {lists:?} for 100 lists of all");
    let list = || file.shared_blocks("u", Step::At(0)).unwrap();
    assert!(Arc::ptr_eq(&list(), &list()));
    assert_eq!(*list(), file.blocks("u", Step::At(0)).unwrap());
}

/// As a program leaves its file that ends in its first step: BP5's and BP4's have these names.
#[test]
fn a_file_without_a_finished_step_has_no_variables() {
    for engine in ["BP5", "BP4"] {
        let folder = TempDir::new().unwrap();
        for name in ["data.0", "md.0", "md.idx", "mmd.0"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let file = open(folder.path(), engine, Mode::ReadRandomAccess);
        assert!(file.variables().unwrap().is_empty());
        file.close().unwrap();
    }
}

#[test]
fn a_file_whose_layouts_are_cut_short_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), "BP5");
    let layouts = path.join("mmd.0");
    let whole = std::fs::read(&layouts).unwrap();
    let io = Adios::new().unwrap().declare_io("in").unwrap();
    for len in [1, 15, 16, whole.len() / 2, whole.len() - 8, whole.len() - 1] {
        std::fs::write(&layouts, &whole[..len]).unwrap();
        let opened = io.open(&path, Mode::ReadRandomAccess);
        assert!(matches!(opened, Err(Error::CutShort(file)) if file == layouts), "{len}");
    }
}

/// With all steps at hand a variable's steps are those that have it; BP4 counts those of the file.
#[test]
fn variables_may_skip_steps() {
    for engine in ["BP5", "BP4"] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("skips.bp");
        let io = Adios::new().unwrap().declare_io("out").unwrap();
        io.set_engine(engine).unwrap();
        let layout = Layout::global(&[4], &[0], &[2]);
        let variables = ["every", "odd", "late", "once"]
            .map(|name| io.define_variable::<f64>(name, &layout).unwrap());
        let [every, odd, late, once] = &variables;
        let mut out = io.open(&path, Mode::Write).unwrap();
        for step in 0..6u32 {
            out.begin_step(None).unwrap();
            for (variable, is_written) in
                [(every, true), (odd, step % 2 == 1), (late, step >= 4), (once, step == 2)]
            {
                if is_written {
                    out.put_block(variable, &[0], &[2], &[f64::from(step); 2]).unwrap();
                    out.put_block(variable, &[2], &[2], &[f64::from(100 + step); 2]).unwrap();
                }
            }
            out.end_step().unwrap();
        }
        out.close().unwrap();

        let file = open(&path, engine, Mode::ReadRandomAccess);
        for (name, steps) in [
            ("every", &[0, 1, 2, 3, 4, 5][..]),
            ("odd", &[1, 3, 5]),
            ("late", &[4, 5]),
            ("once", &[2]),
        ] {
            for (at, &step) in steps.iter().enumerate() {
                let at = Step::At(at as u64);
                let blocks = file.blocks(name, at).unwrap().blocks;
                let starts: Vec<_> = blocks.iter().map(|block| block.start.clone()).collect();
                assert_eq!(starts, [Some(vec![0]), Some(vec![2])], "{engine} {name}");
                let [first, second] = [f64::from(step), f64::from(100 + step)];
                let all = file.read::<f64>(name, at, &Selection::All).unwrap();
                assert_eq!(all, [first, first, second, second], "{engine} {name}");
                let block = file.read::<f64>(name, at, &Selection::Block(1)).unwrap();
                assert_eq!(block, [second; 2], "{engine} {name}");
            }
            let beyond = file.blocks(name, Step::At(steps.len() as u64));
            assert!(matches!(beyond, Err(Error::OutOfRange(_))));
        }
    }
}
