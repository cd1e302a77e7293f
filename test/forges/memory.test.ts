import { createMemoryReader } from '../../lib/forges/memory.js';
import { describeReaderContract } from './reader-contract.js';

describeReaderContract('memory', async ({ head, base, neverSend }) => ({
  reader: createMemoryReader({ head, base, neverSend }),
  requests: () => 0,
  close: async () => {},
}));
