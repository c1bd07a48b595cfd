import { RuntimeError } from '../runtime-error.ts';
import type { ElectionSettings } from './election-state.ts';

/** client-go's factor. */
export const JITTER = 1.2;

type Times = 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs';

/** What may be given: a namespace that has to be looked up is filled in when the election begins. */
type Given = Pick<ElectionSettings, 'name' | 'identity'> &
  Partial<Pick<ElectionSettings, Times>> & {
    readonly namespace: ElectionSettings['namespace'] | (() => unknown);
  };

/** The settings of an election, with client-go's defaults. Throws where they contradict each other. */
export function electionSettings(options: Given): ElectionSettings {
  const { name, identity } = options;
  const namespace = typeof options.namespace === 'string' ? options.namespace : '';
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options;
  const wrong = (what: string): RuntimeError => new RuntimeError('InvalidState', `election: ${what}`);
  if (identity === '') throw wrong('identity is empty');
  if (leaseDurationMs % 1000 !== 0) throw wrong('leaseDurationMs has to be whole seconds');
  if (leaseDurationMs <= renewDeadlineMs) throw wrong('leaseDurationMs has to exceed renewDeadlineMs');
  if (renewDeadlineMs <= JITTER * retryPeriodMs || retryPeriodMs <= 0)
    throw wrong(`renewDeadlineMs has to exceed ${JITTER} times retryPeriodMs, which has to exceed 0`);
  return { namespace, name, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}
