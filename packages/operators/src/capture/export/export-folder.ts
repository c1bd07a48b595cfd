import type { ExportFile } from './format-of.ts';

/** Where the files of an export are. */
export type ExportFolder = {
  /** What errors call one of its files. */
  title(path: string): string;
  /** Rejects with why there is no such content. */
  read(path: string): Promise<Buffer>;
  write(file: ExportFile): Promise<void>;
  /**
   * Writes a file that does not exist; resolves with false where another one does. A store that does not know such
   * conditions may overwrite that.
   */
  create(file: ExportFile): Promise<boolean>;
  /** Resolves where there is no such file, too. */
  remove(path: string): Promise<void>;
  /** The paths of its files, one folder deep at least; none where it does not exist. */
  list(): AsyncIterable<string>;
};

/** Calls under way. */
export const AT_ONCE = 16;
