import { test } from 'node:test';
import { checkPlant, PLANTS, type PlantName } from './plants.ts';

for (const name of Object.keys(PLANTS) as PlantName[]) {
  test(`the planted bug "${name}" still fits the source`, () => checkPlant(name));
}
