/** The path of a server of the S3 protocol; undefined while it is not built. */
export function findS3(name: 'rclone' | 'versitygw' | 'weed', env?: NodeJS.ProcessEnv): string | undefined;

/** The folder of moto, for PYTHONPATH; undefined while it is not installed. */
export function findMoto(env?: NodeJS.ProcessEnv): string | undefined;
