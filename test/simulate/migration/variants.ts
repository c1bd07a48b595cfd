import type { MigrationSteps } from '@kubewright/operators';

type Observed = Parameters<MigrationSteps['decide']>[0];

/** Operators that are broken on purpose. */
export const migrationVariants: Readonly<Record<string, (steps: MigrationSteps) => MigrationSteps>> = {
  /** The target takes over where it happens to be; nobody waits until the source has stopped. */
  hasty: (steps) => ({
    ...steps,
    decide: (observed, ...rest) => steps.decide(withoutCut(observed), ...rest),
  }),
  /** Every command counts, however late it comes. */
  unfenced: (steps) => {
    let commands = 2 ** 40;
    return { ...steps, decide: (...given) => renumbered(steps.decide(...given), commands++) };
  },
};

type Decided = ReturnType<MigrationSteps['decide']>;

function renumbered(decision: Decided, by: number): Decided {
  const { action } = decision;
  if (action?.type !== 'send' || action.command.type === 'report') return decision;
  const command = { ...action.command, step: action.command.step + by };
  return { ...decision, action: { ...action, command } };
}

function withoutCut(observed: Observed): Observed {
  const { migration } = observed;
  const { status } = migration;
  if (status?.step !== 'CatchUp' || status.handover === undefined) return observed;
  const handover = { ...status.handover, committed: true };
  const committed = { ...status, step: 'TakeOver', handedOver: true, handover };
  return { ...observed, migration: { ...migration, status: committed } };
}
