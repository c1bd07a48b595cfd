/** `name`, `name:port` or `scheme:name:port`; empty strings for absent parts. */
export type SchemeNamePort = { readonly scheme: string; readonly name: string; readonly port: string };

/** How a proxied node, pod or service is named. Undefined where it is not so. */
export function schemeNamePort(id: string): SchemeNamePort | undefined {
  const parts = id.split(':');
  if (parts.length > 3) return undefined;
  const [scheme, name, port] = parts.length === 3 ? parts : ['', ...parts];
  if (name === undefined || name === '' || !['', 'http', 'https'].includes(scheme ?? '')) return undefined;
  return { scheme: scheme ?? '', name, port: port ?? '' };
}
