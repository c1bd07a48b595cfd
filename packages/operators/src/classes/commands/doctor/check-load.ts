import type { Signals } from '../../class-load.ts';
import { missingSignals, type Requirements } from '../../decide/recommend.ts';
import type { Finding } from '../../../kit/report-findings.ts';
import type { LoadReading } from '../../load/read-load.ts';

export type Checked = {
  /** Of the function. */
  readonly key: string;
  /** Its pods that run. */
  readonly pods: number;
  readonly requirements: Requirements;
};

/** Which signals a source has of a function: those that its class goes by fail where they are not there. */
export function checkLoad(checked: Checked, reading: LoadReading): readonly Finding[] {
  const { key, pods, requirements } = checked;
  const { signals, problem } = reading;
  const check = (name: string): string => `${key}: ${name}`;
  if (pods === 0) return [{ check: check('pods'), status: 'unknown', what: 'none runs: there is no load' }];
  if (signals === undefined)
    return [{ check: check('cpu'), status: 'failed', what: problem?.message ?? 'there is none' }];
  const missing: readonly string[] = missingSignals(signals, requirements, undefined);
  const others = ([['memory'], ['throughput'], ['latency']] as const).map(([name]): Finding => {
    const value = VALUES[name](signals);
    if (value !== undefined) return { check: check(name), status: 'ok', what: value };
    const isMissing = missing.includes(name);
    return { check: check(name), status: isMissing ? 'failed' : 'warning', ...NONE[name] };
  });
  return [{ check: check('cpu'), ...cpuOf(checked, signals, reading) }, ...others];
}

function cpuOf(
  { pods }: Checked,
  { cpu }: Signals,
  { age = 0, intervals, problem }: LoadReading,
): Pick<Finding, 'status' | 'what'> {
  if (problem !== undefined) return { status: 'warning', what: problem.message };
  const each = intervals?.cpu === undefined ? '' : `, one each ${Math.round(intervals.cpu)} s`;
  const what = `${Math.round(cpu)}m of ${pods} pods; the newest sample is ${Math.round(age)} s old${each}`;
  return { status: 'ok', what };
}

const MIB = 2 ** 20;

const VALUES = {
  memory: ({ memory }: Signals) =>
    memory === undefined ? undefined : `at most ${Math.ceil(memory / MIB)} MiB in a pod`,
  throughput: ({ rps }: Signals) => (rps === undefined ? undefined : `${rps.toFixed(1)} requests per second`),
  latency: ({ rps, p99 }: Signals) => {
    if (p99 !== undefined) return `99 % within ${Math.round(p99)} ms`;
    return rps === 0 ? 'there were no requests' : undefined;
  },
} as const;

const REQUESTS =
  'scrape http_server_requests_seconds as a histogram, with the labels namespace and pod, of all pods';

const NONE = {
  memory: {
    what: 'there is none: memory is not recommended',
    fix: 'scrape container_memory_working_set_bytes of kubelets, with the container "function"',
  },
  throughput: { what: 'there is none of all pods: min_throughput_rps counts for nothing', fix: REQUESTS },
  latency: { what: 'there is none of all pods: max_latency_ms counts for nothing', fix: REQUESTS },
} as const;
