/** What went wrong in a pure operation on Kubernetes objects. */
export type KubeErrorCode =
  | 'InvalidJson'
  | 'InvalidFieldsV1'
  | 'InvalidPath'
  | 'InvalidApiVersion'
  | 'InvalidSchema'
  | 'InvalidSelector'
  | 'InvalidQuantity'
  | 'InvalidTime'
  | 'InvalidPatch'
  | 'InvalidExpression'
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
