//! Rule sets as KataGo writes them: by name, or as a JSON object.

use super::bad;
use crate::game::BadInput;
use crate::games::go::Rules;
use crate::games::go::rules::{Bonus, DeadStones, Ko, Scoring, Tax};
use serde_json::Value;

/// The rule set of a name.
pub fn named(name: &str) -> Result<Rules, BadInput> {
    let plain = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    match plain.as_str() {
        "chinese-ogs" | "chinese-kgs" => Ok(Rules::CHINESE),
        "stone-scoring" | "ancient-area" => Ok(Rules {
            name: "custom",
            tax: Tax::All,
            ..Rules::CHINESE
        }),
        "ancient-territory" => Ok(Rules {
            name: "custom",
            tax: Tax::All,
            ..Rules::JAPANESE
        }),
        _ => Rules::named(name),
    }
}

/// A rule set by its name, or as an object of what differs from `base`.
pub fn read(base: &Rules, text: &str) -> Result<Rules, BadInput> {
    if !text.trim_start().starts_with('{') {
        return named(text.trim());
    }
    let Ok(Value::Object(choices)) = serde_json::from_str(text) else {
        return bad("syntax error");
    };
    let mut rules = *base;
    for (key, value) in choices {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        set_rule(&mut rules, &key, &value)?;
    }
    Ok(rules)
}

/// Sets one rule.
pub fn set_rule(rules: &mut Rules, key: &str, value: &str) -> Result<(), BadInput> {
    let unknown = || bad(format!("no such rule: {key} {value}"));
    let on = || match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => bad(format!("{key} needs true or false")),
    };
    match key {
        "ko" => match value {
            "SIMPLE" => rules.ko = Ko::Simple,
            "POSITIONAL" => rules.ko = Ko::Positional,
            "SITUATIONAL" => rules.ko = Ko::Situational,
            _ => return unknown(),
        },
        "score" | "scoring" | "scoringRule" => match value {
            "AREA" => rules.scoring = Scoring::Area,
            "TERRITORY" => rules.scoring = Scoring::Territory,
            _ => return unknown(),
        },
        "tax" => match value {
            "NONE" => rules.tax = Tax::None,
            "SEKI" => rules.tax = Tax::Seki,
            "ALL" => rules.tax = Tax::All,
            _ => return unknown(),
        },
        "suicide" => rules.suicide = on()?,
        "friendlyPassOk" => rules.dead = if on()? { DeadStones::Agreed } else { DeadStones::Stay },
        "hasButton" => {
            if on()? {
                return bad("the button is not supported");
            }
        }
        "whiteHandicapBonus" => match value {
            "0" => rules.bonus = Bonus::None,
            "N" => rules.bonus = Bonus::Each,
            "N-1" => rules.bonus = Bonus::EachButOne,
            _ => return unknown(),
        },
        _ => return unknown(),
    }
    rules.name = "custom";
    Ok(())
}

/// A rule set as a JSON object.
pub fn text(rules: &Rules) -> String {
    let ko = match rules.ko {
        Ko::Simple => "SIMPLE",
        Ko::Positional => "POSITIONAL",
        Ko::Situational => "SITUATIONAL",
    };
    let scoring = match rules.scoring {
        Scoring::Area => "AREA",
        Scoring::Territory => "TERRITORY",
    };
    let tax = match rules.tax {
        Tax::None => "NONE",
        Tax::Seki => "SEKI",
        Tax::All => "ALL",
    };
    let bonus = match rules.bonus {
        Bonus::None => "0",
        Bonus::Each => "N",
        Bonus::EachButOne => "N-1",
    };
    format!(
        "{{\"friendlyPassOk\":{},\"hasButton\":false,\"ko\":\"{ko}\",\"scoring\":\"{scoring}\",\"suicide\":{},\
         \"tax\":\"{tax}\",\"whiteHandicapBonus\":\"{bonus}\"}}",
        rules.dead == DeadStones::Agreed,
        rules.suicide
    )
}
