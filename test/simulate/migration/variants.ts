import type { MigrationSteps } from '@kubewright/operators';

type Observed = Parameters<MigrationSteps['decide']>[0];
type Action = Parameters<NonNullable<MigrationSteps['act']>>[0];

export type MigrationVariant = {
  readonly change?: (steps: MigrationSteps) => MigrationSteps;
  /** It writes to brokers and agents whether or not it has its Lease. */
  readonly withoutLease?: boolean;
};

/** Operators that are broken on purpose. */
export const migrationVariants = {
  /** The target takes over as soon as the source has stopped, without what the mirror has for it. */
  hasty: {
    change: (steps) => ({
      ...steps,
      decide: (observed, ...rest) => steps.decide(asFarAsSource(observed), ...rest),
      act: async (action, io) => (isFollow(action) ? undefined : await steps.act?.(action, io)) ?? 'done',
    }),
  },
  /** Every command counts, however late it comes: as it leaves, it gets a higher number than all before. */
  unfenced: {
    withoutLease: true,
    change: (steps) => ({
      ...steps,
      decide: (observed, ...rest) => steps.decide(withMeantNumbers(observed), ...rest),
      act: async (action, io) =>
        (await steps.act?.(renumbered(action, Math.ceil(io.clock.monotonic())), io)) ?? 'done',
    }),
  },
} as const satisfies Readonly<Record<string, MigrationVariant>>;

/** The same for applications of the original system, whose commands have no number. */
export const checkpointVariants = {
  unfenced: { withoutLease: true },
} as const satisfies Readonly<Record<string, MigrationVariant>>;

/** The number of the command to apply the rest. */
const FINAL = 2 ** 52;
/** There are fewer handovers: the number of a command is when it was sent, and then that of its handover. */
const HANDOVERS = 1000;

function renumbered(action: Action, now: number): Action {
  if (action.type !== 'send' || action.command.type === 'report') return action;
  const { command } = action;
  return { ...action, command: { ...command, epoch: now * HANDOVERS + command.epoch } };
}

/** Reports as consumers give them to an operator that numbers as ours does. */
function withMeantNumbers(observed: Observed): Observed {
  const { broker } = observed;
  if (broker.type !== 'reached') return observed;
  const reports = [...broker.reports].map(([uid, { handled, ...report }]) => {
    const meant = handled && { handled: { ...handled, epoch: handled.epoch % HANDOVERS } };
    return [uid, { ...report, ...meant }] as const;
  });
  return { ...observed, broker: { ...broker, reports: new Map(reports) } };
}

function isFollow(action: Action): boolean {
  return action.type === 'send' && action.command.type === 'follow';
}

/** As if the target had applied what the source has. */
function asFarAsSource(observed: Observed): Observed {
  const { broker, migration } = observed;
  const { step = '', handover } = migration.status ?? {};
  if (!['CatchUp', 'Quiesce'].includes(step) || handover === undefined || broker.type !== 'reached')
    return observed;
  const { from, to, epoch } = handover;
  const [source, target] = [from, to].map(({ uid = '' }) => broker.reports.get(uid));
  if (source === undefined || target === undefined) return observed;
  const { pod, instance } = target;
  const handled = { migration: migration.metadata.uid, epoch, step: FINAL };
  const reports = new Map(broker.reports).set(pod, { ...source, pod, instance, handled });
  return { ...observed, broker: { ...broker, reports } };
}
