import type { RunResult, WorldFault, Written } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';

type Crash = Extract<WorldFault, { readonly type: 'crash' }>;

/** The write that first recorded a step of a handover. */
export function recordOf({ history }: RunResult, step: string, epoch: number = 1): Written {
  const record = history.of('statefulmigrations', 'move').find(({ object }) => {
    const { status } = object as StatefulMigration;
    return status?.step === step && status.handover?.epoch === epoch;
  });
  if (record === undefined) throw new TypeError(`handover ${epoch} has not come to ${step}`);
  return record;
}

/**
 * The operator crashes as it records a step of a handover, before the server has that or after. `calm` is the same world
 * without it, up to there.
 */
export function crashAtRecord(calm: RunResult, when: Crash['when'], step: string, epoch: number = 1): Crash {
  const { resourceVersion } = recordOf(calm, step, epoch).object.metadata;
  return crashAtCall(calm, when, new RegExp(`(operator-\\d) #(\\d+) PATCH \\S+ 200 at ${resourceVersion}$`));
}

/** The operator crashes as it makes the first call that matches in the trace; the pattern captures its name and the number. */
export function crashAtCall({ trace }: RunResult, when: Crash['when'], call: RegExp): Crash {
  const found = trace.map((line) => call.exec(line)).find((match) => match !== null);
  if (found === undefined) throw new TypeError(`no call was like ${String(call)}`);
  const [, component = '', number] = found;
  return { type: 'crash', component, call: Number(number), when, restartAfter: 1000, behind: 0 };
}
