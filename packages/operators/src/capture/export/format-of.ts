import { isS3 } from './s3-place.ts';

/** How an export is stored: a folder of files, or one archive, compressed or not. */
type ExportFormat = 'folder' | 'tar' | 'tar.gz';

/** One file of an export. */
export type ExportFile = { readonly path: string; readonly content: string };

/** Many times what an API server accepts as an object. An index has about 150 bytes for each. */
export const LARGEST_FILE = 67_108_864;

/** By the name of the export. */
export function formatOf(path: string): ExportFormat {
  if (isS3(path)) return 'folder';
  if (path.endsWith('.tar')) return 'tar';
  return /\.(?:tar\.gz|tgz)$/.test(path) ? 'tar.gz' : 'folder';
}

/** Whether the source of a command is an export, and not the name of a checkpoint. */
export function isExport(source: string): boolean {
  return source.includes('/') || formatOf(source) !== 'folder';
}
