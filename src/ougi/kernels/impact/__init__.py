"""First contacts of moving bodies: one file for each pair, and what the pairs share.

`ougi.impact` chooses the kernel. Nothing outside of this folder and `ougi.impact` depends on it, so a change
here leaves the evidence about plain queries valid.
"""
