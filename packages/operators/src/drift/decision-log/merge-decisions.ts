import { canonicalJson, type Json, stringifyJson } from '@kubewright/kube';
import type { LoggedDecision, LoggedHop } from './decision-logs.ts';

/** Far below what a server stores of one object. */
const MOST_CHARACTERS = 200_000;

/** A log with new decisions. The same decision is one entry, with its latest time; the oldest go first. */
export function mergeDecisions(
  kept: readonly LoggedDecision[],
  added: readonly LoggedDecision[],
  limit: number,
): readonly LoggedDecision[] {
  const merged = new Map<string, LoggedDecision>();
  for (const one of [...kept, ...added]) {
    const key = identityOf(one);
    const times = (merged.get(key)?.times ?? 0) + one.times;
    merged.delete(key);
    merged.set(key, { ...one, times });
  }
  return withinSize([...merged.values()].slice(-limit));
}

/** What was decided besides `written`: of an equal decision, how much more often. */
export function withoutDecisions(
  decided: readonly LoggedDecision[],
  written: readonly LoggedDecision[],
): readonly LoggedDecision[] {
  const counts = new Map(written.map((one) => [identityOf(one), one.times]));
  return decided
    .map((one) => ({ ...one, times: one.times - (counts.get(identityOf(one)) ?? 0) }))
    .filter(({ times }) => times > 0);
}

/** A server may call the webhook several times for one write, and a denied controller retries. */
function identityOf(decision: LoggedDecision): string {
  return canonicalJson(timeless(decision));
}

/** The same of decisions that this process has made: field by field, for it is made of each. */
export function textOf(decision: LoggedDecision): string {
  const { operation, object, parentGeneration = null, user, reason, allowed, mode } = decision;
  const { approval = null, fields, hops, trace } = decision;
  const about = [operation, object, parentGeneration, user, reason, allowed, mode, approval, fields, hops];
  return stringifyJson([about, trace.map(withoutTime)]);
}

function withoutTime(hop: LoggedHop): Json {
  const { apiVersion, kind, name, generation, user, labels, tool } = hop;
  return [apiVersion, kind, name, generation ?? null, user, labels ?? null, tool ?? null];
}

function timeless({ time: _time, times: _times, seen: _seen, trace, ...rest }: LoggedDecision): Json {
  return { ...rest, trace: trace.map(({ timestamp: _at, ...hop }) => hop) };
}

/** The objects of the oldest go first, and then the oldest themselves. */
function withinSize(decisions: readonly LoggedDecision[]): readonly LoggedDecision[] {
  const sizes = decisions.map((one) => JSON.stringify(one).length);
  let excess = sizes.reduce((sum, size) => sum + size, 0) - MOST_CHARACTERS;
  const smaller = decisions.map((one, index) => {
    if (excess <= 0 || one.seen === undefined) return one;
    const { seen: _seen, ...rest } = one;
    excess -= (sizes[index] ?? 0) - JSON.stringify(rest).length;
    return rest;
  });
  let left = MOST_CHARACTERS;
  const oldest = smaller.findLastIndex((one) => (left -= JSON.stringify(one).length) < 0);
  return smaller.slice(oldest + 1);
}
