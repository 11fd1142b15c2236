//! `juju`: takes arguments, environment and standard streams, and hands them over.

use std::{
    env,
    io::{self, IsTerminal},
    process::ExitCode,
};

use juju::{
    Clock, Context,
    cli::Env,
    printer::{Printer, Settings},
    store::Store,
};

fn main() -> ExitCode {
    let mut env = Env::read(|name| env::var_os(name), env::current_exe().ok());
    env.vars = env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let settings = Settings {
        out_is_terminal: stdout.is_terminal(),
        err_is_terminal: stderr.is_terminal(),
        no_color: env.no_color,
        ..Settings::default()
    };
    let mut ctx = Context {
        store: Store::at(&env.juju_data),
        printer: Printer::new(Box::new(stdout), Box::new(stderr), settings),
        input: Box::new(io::BufReader::new(io::stdin())),
        clock: Clock { now: jiff::Timestamp::now, zone: jiff::tz::TimeZone::system },
        invocation: String::new(),
        env,
    };
    ExitCode::from(juju::main(env::args_os().skip(1), &mut ctx))
}
