//! The workbench's commands as programs. One test program has them all: so it is linked once, and one file's long tests
//! run beside another's.

mod coup;
mod go;
mod interrupted;
mod learning;
mod levels;
mod live;
mod matches;
mod play;
mod review;
mod runner;
mod signature;
