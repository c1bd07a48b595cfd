/** What cannot be learned of a kind from its objects. Each file of this folder has those of one project. */
export type Profile = {
  readonly group: string;
  readonly kind: string;
  /** The project, and the release whose source says so. */
  readonly source: string;
  /**
   * The conditions that are all True when it is ready. Default: one of Ready, Available and Initialized. Of a kind without such
   * a condition, none: it is ready as soon as its controller has written its status.
   */
  readonly ready?: readonly string[];
  /** The field of the status with the generation that its controller has seen. Default: `observedGeneration`. */
  readonly observedGeneration?: string;
  /** What the status says while it is at work. */
  readonly working?: readonly Working[];
  /** Fields of the status with the time at which its controller acts next. */
  readonly due?: readonly string[];
  /** Annotations of children with the time after which its controller changes them. */
  readonly dueOnChild?: readonly string[];
  /** Where its status has the value of a child's field before its controller writes it; `*` is each item of a list. */
  readonly announced?: readonly Announced[];
  /** Where its status lists the children that it wants, with kind and name: its controller deletes others. */
  readonly wanted?: string;
  /** Fields of children that differ each time that they are made. */
  readonly varying?: readonly ChildFields[];
  /** Fields of children that its controller changes although nobody has changed the parent. */
  readonly changing?: readonly ChildFields[];
  /** Kinds of children that come and go although nobody has changed the parent. */
  readonly transient?: readonly string[];
  /** Annotations and labels that its controller follows, besides those of its own project; `*` may stand at the end. */
  readonly follows?: readonly string[];
  /** Why drift below it is not detected. */
  readonly uncovered?: string;
};

/** A number, or its text; of containers, bytes of memory or millicores that they ask for. */
export type Announced = { readonly kind: string; readonly field: string; readonly at: string };

export type Working =
  | { readonly field: string; readonly values: readonly string[] }
  | { readonly field: string; readonly differsFrom: string }
  | { readonly condition: string; readonly status: string };

/** Of children of a kind. A path goes through objects: `spec.template.metadata`. */
export type ChildFields = { readonly kind: string; readonly fields: readonly string[] };
