/** What Terraform or OpenTofu does with a resource. */
export type PlannedAction = 'create' | 'update' | 'delete' | 'replace' | 'forget' | 'create and forget';

/** One change of a plan. It has no values: those may be secret. */
export type PlannedChange = {
  /** `module.net.aws_instance.web[0]`. */
  readonly address: string;
  readonly action: PlannedAction;
  /** Of an object that a replacement has left behind: its key. */
  readonly deposed?: string;
};

/** What is known of a plan of Terraform or OpenTofu. */
export type Plan = {
  /** A hash of its content: two plans differ in their time at least. */
  readonly id: string;
  /** When it was made; plans of Terraform before 1.5 do not say. */
  readonly timestamp?: string;
  /** False: of what has to change, some is not in the plan. */
  readonly isComplete: boolean;
  /** Without those that do nothing, or only read. */
  readonly changes: readonly PlannedChange[];
  /** What has changed outside of Terraform since its last run. */
  readonly outside: readonly PlannedChange[];
};

/** Whether something that exists is destroyed. */
export function isDestructive({ action }: PlannedChange): boolean {
  return action === 'delete' || action === 'replace';
}
