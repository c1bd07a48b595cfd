import { formatTime } from '@kubewright/kube';
import type { FunctionLoad, LoadProblem } from '../class-load.ts';
import type { Facts } from './facts.ts';
import { freshnessOf, loadOf, maxAgeMs } from './load-of.ts';
import { missingSignals } from './recommend.ts';

/** The condition `NfrObserved`: whether all that a class goes by is known of the load of its functions, and what is not. */
export type ObservedCondition = { readonly is: boolean; readonly reason: string; readonly message: string };

/** A query that fails once is no problem: what lasts for as long as a load may be old is. */
export function observedCondition(facts: Facts): ObservedCondition {
  const found = lastingProblem(facts) ?? tooOld(facts) ?? missing(facts);
  if (found !== undefined) return { is: false, ...found };
  const is = facts.functions.length > 0;
  return { is, reason: is ? 'PrometheusQueryOK' : 'NoRecommendation', message: '' };
}

function lastingProblem({ load, runtime, functions, settings, now }: Facts): LoadProblem | undefined {
  if (load?.uid !== runtime.metadata.uid || load.problem === undefined) return undefined;
  const { reason, message, since } = load.problem;
  const isLasting = functions.length === 0 || now.getTime() - since >= maxAgeMs(settings);
  return isLasting ? { reason, message } : undefined;
}

/** A source that responds, and has nothing new. The message has no age: it would change with each look. */
function tooOld(facts: Facts): LoadProblem | undefined {
  const [old] = loadsOf(facts)
    .filter(({ load }) => !freshnessOf(load, facts.settings, facts.now).isFresh)
    .toSorted((a, b) => a.load.at - b.load.at);
  if (old === undefined) return undefined;
  const message = `${old.key}: the newest sample is of ${formatTime(new Date(old.load.at))}: nothing is scaled by it`;
  return { reason: 'SamplesTooOld', message };
}

/** Signals that the class requires, or went by before. */
function missing(facts: Facts): LoadProblem | undefined {
  const required = facts.runtime.spec.nfr_requirements ?? {};
  const isLong = (since: number | undefined): boolean =>
    since === undefined || facts.now.getTime() - since >= maxAgeMs(facts.settings);
  return loadsOf(facts).flatMap(({ key, load, stored }): readonly LoadProblem[] => {
    const signals = missingSignals(load, required, stored).filter((signal) =>
      isLong(signal === 'throughput' ? load.rpsAt : load.p99At),
    );
    if (signals.length === 0) return [];
    const message = `${key}: there is no ${signals.join(' and no ')} of all its pods: it keeps at least what was recommended with it`;
    return [{ reason: 'MissingSignal', message }];
  })[0];
}

type Loaded = Pick<Facts['functions'][number], 'stored'> & {
  readonly key: string;
  readonly load: FunctionLoad;
};

function loadsOf(facts: Facts): readonly Loaded[] {
  return facts.functions.flatMap(({ function: each, stored }) => {
    const load = loadOf(facts, each);
    return load === undefined ? [] : [{ key: each.key, load, stored }];
  });
}
