"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const picture = find("picture"), slider = find("slider"), play = find("play");
  const runs = data.runs, views = ["before", "after"];

  // The elements of every run in both panels, and the runs of every step.
  const parts = runs.map(() => []);
  for (const each of picture.querySelectorAll(".view [data-run]")) parts[each.dataset.run].push(each);
  const arrows = runs.map(() => []);
  for (const each of picture.querySelectorAll(".arrows .arrow")) {
    arrows[each.dataset.from].push(each);
    arrows[each.dataset.to].push(each);
  }
  const before = runs.map(() => []), after = runs.map(() => []);
  for (const [source, sink] of data.dependences) {
    before[sink].push(source);
    after[source].push(sink);
  }
  const steps = {};
  for (const view of views) {
    steps[view] = [];
    runs.forEach((run, number) => (steps[view][run[view]] ||= []).push(number));
  }

  let order = "after", position = 0, timer = 0, pointed = -1;
  const last = () => steps[order].length;
  const mark = (number, name, on) => parts[number].forEach((part) => part.classList.toggle(name, on));
  const say = (id, text) => { find(id).textContent = text; };

  function describe(number, more) {
    const run = runs[number];
    const of = (view, title) => `${run[view] + 1} of ${steps[view].length} ${title}`;
    say("what", `${run.at ? `at ${run.at}: ` : ""}step ${of("after", "as scheduled")}, ${of("before", "as written")}${more}`);
    say("code", run.code);
    const listed = (title, names) => (names.length ? [`${title} ${names.join(", ")}`] : []);
    say("cells", [...listed("reads", run.reads), ...listed("writes", run.writes)].join("; "));
  }

  function draw() {
    slider.max = last();
    slider.value = position;
    slider.setAttribute("aria-valuetext", position ? `step ${position} of ${last()}` : "all iterations");
    say("count", position ? `${position} of ${last()}` : `${last()} step${last() === 1 ? "" : "s"}`);
    runs.forEach((run, number) => {
      mark(number, "wait", position > 0 && run[order] >= position);
      mark(number, "now", run[order] === position - 1);
      if (run[order] === position - 1) mark(number, "wait", false);
    });
    picture.classList.toggle("stepping", position > 0);
    const now = position ? steps[order][position - 1] : [];
    picture.dataset.now = now.join(" ");
    if (pointed >= 0) return;
    if (now.length) describe(now[0], now.length > 1 ? `; with ${now.length - 1} more` : "");
    else for (const [id, text] of [["what", data.idle], ["code", ""], ["cells", ""]]) say(id, text);
  }

  function go(to) {
    position = Math.max(0, Math.min(last(), to));
    draw();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
    find("detail").setAttribute("aria-live", "polite");
  }

  function toggle() {
    if (timer) return stop();
    if (!last()) return;
    if (position >= last()) position = 0;
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    find("detail").setAttribute("aria-live", "off");
    const tick = () => { go(position + 1); if (position >= last()) stop(); };
    timer = setInterval(tick, Math.max(40, Math.min(500, 15000 / last())));
    tick();
  }

  function point(number) {
    if (number === pointed) return;
    if (pointed >= 0) {
      mark(pointed, "here", false);
      for (const other of before[pointed]) mark(other, "source", false);
      for (const other of after[pointed]) mark(other, "sink", false);
      for (const arrow of arrows[pointed]) arrow.classList.remove("on");
    }
    pointed = number;
    picture.classList.toggle("pointing", number >= 0);
    if (number < 0) return draw();
    mark(number, "here", true);
    for (const other of before[number]) mark(other, "source", true);
    for (const other of after[number]) mark(other, "sink", true);
    for (const arrow of arrows[number]) arrow.classList.add("on");
    const count = (many) => (many.length ? `${many.length}` : "none");
    describe(number, `; needs ${count(before[number])}, needed by ${count(after[number])}`);
  }

  play.addEventListener("click", toggle);
  find("back").addEventListener("click", () => { stop(); go(position - 1); });
  find("forth").addEventListener("click", () => { stop(); go(position + 1); });
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  for (const radio of document.getElementsByName("order")) {
    radio.addEventListener("change", () => {
      const run = position ? steps[order][position - 1][0] : -1;
      order = radio.value;
      go(run < 0 ? 0 : runs[run][order] + 1);
    });
  }
  const shows = (id, name) => find(id).addEventListener("change", () => picture.classList.toggle(name));
  shows("numbers", "no-numbers");
  shows("arrows", "no-arrows");
  find("numbers").closest("label").hidden = !data.counted;
  find("route").checked = !data.counted;
  shows("route", data.counted ? "with-route" : "no-route");
  picture.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("[data-run]");
    point(cell ? Number(cell.dataset.run) : -1);
  });
  picture.addEventListener("pointerleave", () => point(-1));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const inside = event.target.closest("button, input, select");
    if (event.key === " " && !(inside && inside !== slider)) toggle();
    else if (inside && inside.type === "radio") return;
    else if (event.key === "ArrowRight") { stop(); go(position + 1); }
    else if (event.key === "ArrowLeft") { stop(); go(position - 1); }
    else if (event.key === "Home") { stop(); go(0); }
    else if (event.key === "End") { stop(); go(last()); }
    else return;
    event.preventDefault();
  });
  for (const control of document.querySelectorAll(".desk button, .desk input")) control.disabled = !runs.length;
  draw();
})();
