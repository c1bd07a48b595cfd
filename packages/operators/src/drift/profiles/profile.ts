/** What cannot be learned of a kind from its objects. Each file of this folder has those of one project. */
export type Profile = {
  readonly group: string;
  readonly kind: string;
  /** The project, and the release whose source says so. */
  readonly source: string;
  /** The conditions that are all True when it is ready. Default: one of Ready, Available and Initialized. */
  readonly ready?: readonly string[];
  /** Fields of the status that say that it is at work. */
  readonly working?: readonly Working[];
  /** Fields of the status with the time at which its controller acts next. */
  readonly due?: readonly string[];
  /** Annotations of children with the time after which its controller changes them. */
  readonly dueOnChild?: readonly string[];
  /** Fields of children, by kind, that differ each time. */
  readonly varying?: Readonly<Record<string, readonly string[]>>;
  /** Where its status has the value of a child's field before its controller writes it; `*` is each item of a list. */
  readonly announced?: readonly Announced[];
  /** Where its status lists the children that it wants, with kind and name: its controller deletes others. */
  readonly wanted?: string;
  /** Why drift below it is not detected. */
  readonly uncovered?: string;
};

/** A number, or its text; of containers, bytes of memory or millicores that they ask for. */
type Announced = { readonly kind: string; readonly field: string; readonly at: string };

export type Working =
  | { readonly field: string; readonly values: readonly string[] }
  | { readonly field: string; readonly differsFrom: string };
