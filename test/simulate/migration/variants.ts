import type { MigrationSteps } from '@kubewright/operators';

type Observed = Parameters<MigrationSteps['decide']>[0];

/** Operators that are broken on purpose. */
export const migrationVariants: Readonly<Record<string, (steps: MigrationSteps) => MigrationSteps>> = {
  /** The target takes over where it happens to be; nobody waits until the source has stopped. */
  hasty: (steps) => ({
    ...steps,
    decide: (observed, ...rest) => steps.decide(withoutCut(observed), ...rest),
  }),
  /** Every command counts, however late it comes: each has a higher number than all before. */
  unfenced: (steps) => {
    const meant: number[] = [];
    return {
      ...steps,
      decide: (observed, ...rest) => renumbered(steps.decide(withNumbersOf(observed, meant), ...rest), meant),
    };
  },
};

type Decided = ReturnType<MigrationSteps['decide']>;

function renumbered(decision: Decided, meant: number[]): Decided {
  const { action } = decision;
  if (action?.type !== 'send' || action.command.type === 'report') return decision;
  const step = meant.push(action.command.step);
  return { ...decision, action: { ...action, command: { ...action.command, step } } };
}

/** Reports as consumers give them that count as the operator does. */
function withNumbersOf(observed: Observed, meant: readonly number[]): Observed {
  const { broker } = observed;
  if (broker.type !== 'reached') return observed;
  const reports = [...broker.reports].map(([uid, report]) => {
    const { handled } = report;
    const step = meant[(handled?.step ?? 0) - 1] ?? 0;
    return [uid, handled === undefined ? report : { ...report, handled: { ...handled, step } }] as const;
  });
  return { ...observed, broker: { ...broker, reports: new Map(reports) } };
}

function withoutCut(observed: Observed): Observed {
  const { migration } = observed;
  const { status } = migration;
  if (status?.step !== 'CatchUp' || status.handover === undefined) return observed;
  const handover = { ...status.handover, committed: true };
  const committed = { ...status, step: 'TakeOver', handedOver: true, handover };
  return { ...observed, migration: { ...migration, status: committed } };
}
