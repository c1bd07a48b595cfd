import { KubeError } from '../kube-error.ts';

/** The error of a library function; rules report its message as cel-go reports its own. */
export function failed(message: string): KubeError {
  return new KubeError('InvalidExpression', message);
}
