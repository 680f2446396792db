import { OPERATION, testFigures } from './quick-figures.ts';

for (const run of OPERATION) testFigures(run);
