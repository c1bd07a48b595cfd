import type { ExportFile } from './format-of.ts';

/** Where the files of an export are. */
export type ExportFolder = {
  /** What errors call one of its files. */
  title(path: string): string;
  /** Rejects with why there is no such content. */
  read(path: string): Promise<Buffer>;
  write(file: ExportFile): Promise<void>;
  /** The paths of its files, one folder deep at least; none where it does not exist. */
  list(): AsyncIterable<string>;
};
