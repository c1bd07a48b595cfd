import { KubeError } from '../../kube-error.ts';

/** True unless `parse` refuses its input; what makes `isX(text)` of `x(text)`. */
export function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof KubeError) return false;
    throw error;
  }
}
