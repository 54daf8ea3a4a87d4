//! Ctrl-C: the work ends and no unfinished file stays.

#[cfg(unix)]
#[test]
fn an_interrupted_compression_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use crate::fixture::Fixture;

    let fixture = Fixture::new();
    // Zeros that take no room on disk, and longer to compress than a signal to arrive.
    std::fs::File::create(fixture.path("x_2000000000.f32"))
        .unwrap()
        .set_len(8_000_000_000)
        .unwrap();
    let args = ["compress", "x_2000000000.f32", "-o", "x.fsz", "--abs", "1e-3", "--threads", "1"];
    let child =
        fixture.command(&args).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    // The handler is set before the temporary file appears.
    while fixture.names().len() < 2 {
        assert!(Instant::now() < deadline, "no temporary file");
        std::thread::yield_now();
    }
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert_eq!(fixture.names(), ["x_2000000000.f32"]);
}
