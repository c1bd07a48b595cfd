import type { Settings } from '../settings.ts';
import type { PrometheusOptions } from './prometheus.ts';

/** How the source of metrics is reached; undefined where there is none. */
export function sourceOptions({
  promUrl: url,
  promTimeout,
  promTokenFile: tokenFile,
  promTenantFile: tenantFile,
  promCaFile: caFile,
}: Settings): Omit<PrometheusOptions, 'clock'> | undefined {
  if (url === undefined || url === '') return undefined;
  return { url, timeoutMs: promTimeout * 1000, tokenFile, tenantFile, caFile };
}
