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
    let step = 2 ** 40;
    return {
      ...steps,
      act(action, io) {
        if (action.type !== 'send' || action.command.type === 'report') return steps.act(action, io);
        const fence = action.command.step + step++;
        return steps.act({ ...action, command: { ...action.command, step: fence } }, io);
      },
    };
  },
};

function withoutCut(observed: Observed): Observed {
  const { migration } = observed;
  const { status } = migration;
  if (status?.step !== 'CatchUp' || status.handover === undefined) return observed;
  const handover = { ...status.handover, committed: true };
  const committed = { ...status, step: 'TakeOver', handedOver: true, handover };
  return { ...observed, migration: { ...migration, status: committed } };
}
