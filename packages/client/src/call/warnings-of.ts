import type { ApiResponse } from '@kubewright/kube';

/** `299 <agent> "<text>"`, several of them separated by commas; a quote or backslash in the text is escaped. */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** The texts of the `Warning` headers: deprecated versions, suspicious values. */
export function warningsOf(response: ApiResponse): readonly string[] {
  const header = response.headers['warning'];
  if (header === undefined) return [];
  const text = typeof header === 'string' ? header : header.join(', ');
  return [...text.matchAll(WARNING)].map(([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'));
}
