import { KubeError } from '../../kube-error.ts';

/** Whether `parse` accepts its input: turns `x(text)` into `isX(text)`. */
export function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof KubeError) return false;
    throw error;
  }
}
