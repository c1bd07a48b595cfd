import { withoutEnds, withoutTrailing } from '@kubewright/kube';

/** A name reduced to a DNS label, as the original does it. */
export function safeName(name: string): string {
  const plain = withoutEnds(name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-'), '-');
  const whole = plain === '' ? 'default' : plain;
  const lettered = /^[a-z]/.test(whole) ? whole : `a${whole}`;
  return withoutTrailing(lettered.slice(0, 63), '-');
}

/** Name of a function's Deployment and Service. The index counts all functions. */
export function functionName(name: string, index: number, total: number): string {
  return total === 1 ? safeName(name) : `${safeName(name)}-fn-${index}`;
}

export function odgmNames(name: string): { readonly deployment: string; readonly service: string } {
  return { deployment: `${safeName(name)}-odgm`, service: `${safeName(name)}-odgm-svc` };
}
