/** A disk that reports each step of writing a record, for tests that end the process in between. */
import { type Disk, realDisk } from './durable-file.ts';

export type DiskPoint = 'record-created' | 'record-linked';

export function watchedDisk(reached: (point: DiskPoint) => void, disk: Disk = realDisk): Disk {
  return {
    ...disk,
    create: (path, text) => {
      disk.create(path, text);
      reached('record-created');
    },
    link: (from, to) => {
      disk.link(from, to);
      reached('record-linked');
    },
  };
}
