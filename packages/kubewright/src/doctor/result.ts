import type { Finding } from '@kubewright/operators';

/** What a check has found; its name is that of the check. */
export type Result = Omit<Finding, 'check'>;

/** The command line that installs these operators again. */
export function reinstall(namespace: string, operators: readonly { readonly name: string }[]): string {
  const names = operators.map(({ name }) => name).join(',');
  return `kubewright install -n ${namespace} --operators ${names} | kubectl apply -f -; with the chart: helm upgrade`;
}
