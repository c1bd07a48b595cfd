/**
 * What Terraform or OpenTofu does with a resource. `import`, `move` and `refresh` change its state alone, `invoke` runs
 * an action of a provider. The last two are of outputs.
 */
export type PlannedAction =
  | 'create'
  | 'update'
  | 'delete'
  | 'replace'
  | 'forget'
  | 'create and forget'
  | 'forget and create'
  | 'import'
  | 'move'
  | 'refresh'
  | 'invoke'
  | 'set output'
  | 'remove output';

/** One change of a plan. It has no values: those may be secret. */
export type PlannedChange = {
  /** `module.net.aws_instance.web[0]`, or `output.NAME`. */
  readonly address: string;
  readonly action: PlannedAction;
  /** Of an object that a replacement has left behind: its key. */
  readonly deposed?: string;
  /** Its address until this plan. */
  readonly movedFrom?: string;
  /** It exists, and this plan takes it over. */
  readonly isImported?: true;
};

/** A change that Terraform cannot plan before this plan is applied. */
export type DeferredChange = { readonly address: string; readonly reason?: string };

/** A `check` block, a condition or a validation that does not hold. It has no message, which may be secret. */
export type FailingCheck = { readonly address: string; readonly status: 'fail' | 'error' };

/** What is known of a plan of Terraform or OpenTofu. */
export type Plan = {
  /** A hash of its content: two plans differ in their time at least. */
  readonly id: string;
  /** When it was made; plans of Terraform before 1.5 do not say. */
  readonly timestamp?: string;
  /** False: of what has to change, some is not in the plan. */
  readonly isComplete: boolean;
  /** All that applying it changes: resources, what is recorded of them, outputs. Without what only reads. */
  readonly changes: readonly PlannedChange[];
  /** What has changed outside of Terraform since its last run. */
  readonly outside: readonly PlannedChange[];
  readonly deferred: readonly DeferredChange[];
  readonly failingChecks: readonly FailingCheck[];
};

/** Whether something that exists is destroyed. */
export function isDestructive({ action }: PlannedChange): boolean {
  return action === 'delete' || action === 'replace';
}

/** Whether an output of the configuration changes, and nothing else. */
export function isOfOutput({ action }: PlannedChange): boolean {
  return action === 'set output' || action === 'remove output';
}
