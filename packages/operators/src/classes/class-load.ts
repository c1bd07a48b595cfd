/** By class, `namespace/name`; measurements live as long as the process. */
export type Loads = ReadonlyMap<string, ClassLoad>;

/** The load of a class's functions, as far as it was measured. */
export type ClassLoad = {
  /** Uid of the class: another class may have its name later. */
  readonly uid: string;
  /** By function key. A function without a signal keeps its last load, or has none: missing is never 0. */
  readonly functions: ReadonlyMap<string, FunctionLoad>;
  /** Of the data grid's pods. */
  readonly grid?: FunctionLoad | undefined;
  /** What was wrong when the load was read last, and since when, in milliseconds since 1970, it was never right. */
  readonly problem?: (LoadProblem & { readonly since: number }) | undefined;
};

/** Why a load is not known, or only in part: a reason of the condition `NfrObserved`, and what a person can do. */
export type LoadProblem = { readonly reason: LoadProblemReason; readonly message: string };

type LoadProblemReason =
  /** The source did not respond, or rejected the query. */
  | 'PrometheusUnreachable'
  | 'PrometheusQueryFailed'
  /** It has no samples of the pods. */
  | 'NoSeries'
  /** All that it has of them is old. */
  | 'SamplesTooOld'
  /** It has some pods only, or has said that it could not read all. */
  | 'PartialData'
  /** A signal that the class goes by is not there. */
  | 'MissingSignal';

export type FunctionLoad = Signals & {
  /** The time of its newest sample, in milliseconds since 1970, and for which generation of the class it was read. */
  readonly at: number;
  readonly generation: number;
  /** Nothing runs that has a load, as where a function is scaled to zero: this is the last there was. */
  readonly hasNoPods?: true | undefined;
  /** When requests, and their latency, were last known. Absent: never. */
  readonly rpsAt?: number | undefined;
  readonly p99At?: number | undefined;
};

export type Signals = {
  /** Sum over all pods of the function, in millicores. */
  readonly cpu: number;
  /** In millicores: nine of ten pods use less. Absent where it is only known of all together. */
  readonly podCpu?: number | undefined;
  /** The most that one pod used, in bytes. */
  readonly memory?: number | undefined;
  /** Some of the load is missing: the real value may be higher, not lower. */
  readonly isPartial?: true | undefined;
  /** Requests per second. 0: there were none. Absent: nothing is known of them. */
  readonly rps?: number | undefined;
  /** What the pods used whose requests are counted in `rps`, in millicores. Default: `cpu`. */
  readonly rpsCpu?: number | undefined;
  /** The 99th percentile of the latency, in milliseconds. Absent where there were no requests, and where nothing is known. */
  readonly p99?: number | undefined;
  /** In which form requests were counted. Absent where they are not known. */
  readonly form?: RequestForm | undefined;
};

/** Forms in which sources keep histograms: one series per bucket, by `le` or by `vmrange`, or each as one series. */
export const REQUEST_FORMS = ['classic', 'vmrange', 'native'] as const;
export type RequestForm = (typeof REQUEST_FORMS)[number];
