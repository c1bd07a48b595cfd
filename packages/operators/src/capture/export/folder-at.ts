import { defined } from '@kubewright/kube';
import type { ExportFolder } from './export-folder.ts';
import { localFolder } from './local-folder.ts';
import { s3Folder } from './s3-folder.ts';
import { isS3 } from './s3-place.ts';

/** A folder, or a prefix of a bucket with the credentials of the environment: arguments are seen by others. */
export function folderAt(path: string, signal?: AbortSignal): ExportFolder {
  return isS3(path) ? s3Folder(path, process.env, defined({ signal })) : localFolder(path);
}
