//! The command line of `nguky-gtp analysis`, in the words of `katago analysis`, and its configuration files.

use super::Settings;
use crate::util::files;

/// What the command line asks for.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Defaults for queries.
    pub settings: Settings,
    /// The network's file.
    pub model: Option<String>,
    /// Threads for one position.
    pub threads: Option<u32>,
}

/// Largest configuration file read.
const LONGEST_FILE: u64 = 1 << 20;

impl Arguments {
    /// Reads the arguments. Those that only concern KataGo's own threads have no effect.
    pub fn read(args: &[String]) -> Result<Self, String> {
        let mut found = Self::default();
        let mut overrides = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let name = arg.trim_start_matches('-');
            if name == arg {
                return Err(format!("analysis: expected an option, not {arg:?}"));
            }
            let (name, mut value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (name, None),
            };
            let mut value = || {
                let next = value.take().or_else(|| args.next().cloned());
                next.ok_or_else(|| format!("analysis: {arg} needs a value"))
            };
            match name {
                "model" => found.model = Some(value()?),
                "config" => found.file(&value()?)?,
                "override-config" => overrides.push(value()?),
                "quit-without-waiting" => found.settings.quit_at_once = true,
                "analysis-threads" | "human-model" => drop(value()?),
                _ => return Err(format!("analysis: unknown option {arg}")),
            }
        }
        // They override the file, whatever the order.
        for text in overrides {
            for pair in text.split(',').filter(|p| !p.trim().is_empty()) {
                found.set(pair).map_err(|why| format!("-override-config: {why}"))?;
            }
        }
        Ok(found)
    }

    fn file(&mut self, path: &str) -> Result<(), String> {
        let bytes = files::read(path, LONGEST_FILE, 0, |_, _| Ok(()))?;
        for (i, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() && !line.starts_with('@') {
                self.set(line).map_err(|why| format!("{path}, line {}: {why}", i + 1))?;
            }
        }
        Ok(())
    }

    /// One setting; unknown names are skipped.
    fn set(&mut self, pair: &str) -> Result<(), String> {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("expected name = value, not {pair:?}"))?;
        let (name, value) = (name.trim(), value.trim().trim_matches('"'));
        if matches!(name, "numSearchThreads" | "numSearchThreadsPerAnalysisThread") {
            let n = value.parse::<u32>().ok().filter(|n| (1..=512).contains(n));
            self.threads = Some(n.ok_or_else(|| format!("{name} must be a number from 1 to 512, not {value:?}"))?);
            return Ok(());
        }
        self.settings.set(name, value).map(drop)
    }
}
