// Finds sections of the pages, by words and by their beginnings, with a typing error in the longer ones.
import MiniSearch from 'minisearch';

const { root } = document.currentScript.dataset;
const field = document.querySelector('header input');
const list = document.querySelector('#found');
const MOST = 10;
let index;

field.addEventListener('focus', open);
field.addEventListener('input', () => {
  open();
  const found = index.search(field.value, {
    ...{ prefix: true, fuzzy: 0.2, combineWith: 'AND' },
    boost: { title: 3 },
  });
  list.replaceChildren(...found.slice(0, MOST).map(entry));
});
field.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') list.querySelector('a')?.click();
  if (key === 'Escape') list.replaceChildren();
});

function open() {
  if (index !== undefined) return;
  index = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title'] });
  index.addAll(window.sections);
}

function entry({ id, title }) {
  const link = document.createElement('a');
  link.href = `${root}/${id}`;
  link.textContent = title;
  const item = document.createElement('li');
  item.append(link);
  return item;
}
