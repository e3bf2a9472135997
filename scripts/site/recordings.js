// Puts a player in the place of each link to a recording.
import { create } from 'asciinema-player';
import 'asciinema-player/dist/bundle/asciinema-player.css';

for (const link of document.querySelectorAll('a.recording')) {
  const place = document.createElement('div');
  link.replaceWith(place);
  create(link.href, place, { fit: 'width', idleTimeLimit: 2, poster: 'npt:0:03' });
}
