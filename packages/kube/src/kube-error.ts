/** What went wrong in a pure operation on Kubernetes objects. */
export type KubeErrorCode =
  | 'InvalidJson'
  /** A text that is no YAML, or whose value is no JSON. */
  | 'InvalidYaml'
  | 'InvalidFieldsV1'
  | 'InvalidPath'
  | 'InvalidApiVersion'
  | 'InvalidSchema'
  | 'InvalidSelector'
  | 'InvalidQuantity'
  | 'InvalidTime'
  | 'InvalidSchedule'
  /** A patch that does not apply to this document: HTTP 422. */
  | 'InvalidPatch'
  /** What is not a patch at all: HTTP 400. */
  | 'MalformedPatch'
  /** More operations than a server takes: HTTP 413. */
  | 'PatchTooLarge'
  /** A strategic merge patch that contradicts the schema or itself: HTTP 500, as on a real server. */
  | 'UnmergeablePatch'
  | 'InvalidExpression'
  /** An expression was stopped: it costs more than it may. */
  | 'CostExceeded'
  /** An object that does not decode: an error at which Go's decoder stops, whatever it met before. */
  | 'InvalidObject'
  | 'Conflict'
  | 'TypedError';

/** The one error class of this package. Nothing here depends on time or load, so nothing is retryable. */
export class KubeError extends Error {
  readonly code: KubeErrorCode;
  readonly retryable = false;

  constructor(code: KubeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubeError';
    this.code = code;
  }
}
