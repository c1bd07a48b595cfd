/** Where kubelets put the archives of checkpoints. Only the client that fetched one removes it. */
export type Checkpoints = {
  /** Keeps an archive under an absolute path. */
  write(path: string, archive: Uint8Array): Promise<void>;
  read(path: string): Promise<Uint8Array | undefined>;
  remove(path: string): Promise<void>;
};

/** Bytes of all archives that are kept; beyond it the oldest go. */
const LIMIT = 256 * 1024 * 1024;

/** Archives in memory: for a cluster that has no disk of its own. */
export function memoryCheckpoints(limit: number = LIMIT): Checkpoints {
  const archives = new Map<string, Uint8Array>();
  const size = (): number => [...archives.values()].reduce((sum, { length }) => sum + length, 0);
  return {
    async write(path, archive) {
      archives.delete(path);
      archives.set(path, archive);
      for (const oldest of [...archives.keys()].slice(0, -1)) {
        if (size() <= limit) break;
        archives.delete(oldest);
      }
    },
    read: async (path) => archives.get(path),
    remove: async (path) => void archives.delete(path),
  };
}
